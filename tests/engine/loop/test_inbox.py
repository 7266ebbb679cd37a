"""Queueing, steering and replacing; ops beside the turn; refitting; speed of streaming."""

import asyncio

from msgspec.structs import replace

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.ground.wire import LocalPeople
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import (
    AskRaised,
    End,
    MessageAdded,
    ModeChanged,
    ModelChosen,
    Notice,
    RootsChanged,
    TextDelta,
    ToolFinished,
    TurnEnded,
    TurnStarted,
)
from gemini_cli.protocol.host import PtySize
from gemini_cli.protocol.messages import Text, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import (
    AddRoot,
    AnswerAsk,
    CallInput,
    Close,
    Prompt,
    RunCall,
    SetMode,
    SetModel,
    Shell,
)
from gemini_cli.protocol.policy import Verdict
from gemini_cli.sdk.testing.fakes import (
    FakeCatalog,
    FakeHooks,
    FakeModels,
    FakePolicy,
    FakeProcesses,
    FakeTool,
    FakeWorkspace,
    call,
    fake_session,
    stall,
    text,
)


def words(*said, **more):
    return Prompt(tuple(Text(each) for each in said), **more)


async def test_a_queued_prompt_joins_or_overtakes_the_running_turn():
    models = FakeModels(text("1"), text("2"), text("3"))
    async with fake_session(models=models) as run:
        ids = [await run.session.send(words(name)) for name in "abc"]
        await run.session.idle()
    assert [text_of(e.message.parts) for e in run.of(TurnStarted)] == ["a", "b", "c"]
    assert [e.turn_id for e in run.envelopes if isinstance(e.event, TurnEnded)] == ids


async def test_a_replacing_prompt_waits_or_the_replaced_one_stays():
    models = FakeModels([text("x"), stall()], text("new"), text("queued"))
    async with fake_session(models=models) as run:
        await run.session.send(words("old"))
        await run.until(TextDelta)
        await run.session.send(words("queued"))
        await run.session.send(words("new", delivery="replace"))
        await run.session.idle()
    assert [e.end for e in run.of(TurnEnded)] == [End.CANCELLED, End.COMPLETED, End.COMPLETED]
    assert [text_of(m.parts) for m in run.history if m.role == "user"] == ["new", "queued"]


def blocking(gate):
    async def work(args, ctx, answer):
        await gate.wait()
        return "ok"

    return work


async def steered(limits):
    gate = asyncio.Event()
    models = FakeModels(call("t"), text("ok"), text("more"))
    async with fake_session(
        models=models, tools=[FakeTool("t", blocking(gate))], limits=limits
    ) as run:
        turn = await run.session.send(words("go"))
        for _ in range(30):
            await asyncio.sleep(0)
        joined = await run.session.send(words("use  <b>", "\nplan B", delivery="steer"))
        gate.set()
        await run.session.idle()
    return run, models, turn == joined


async def test_steering_waits_for_the_next_prompt():
    run, models, same = await steered(LoopLimits(steering=True))
    assert same
    (added,) = run.of(MessageAdded)
    assert (added.message.origin, added.message.display) == ("steer", "use <b> plan B")
    assert "<user_input>use <b> plan B</user_input>" in text_of(added.message.parts)
    assert models.requests[1].contents[-1] == added.message
    assert len(run.of(TurnEnded)) == 1


async def test_steering_is_taken_where_it_is_switched_off():
    run, _, same = await steered(LoopLimits())
    assert not same
    assert len(run.of(TurnEnded)) == 2


async def test_steering_during_the_last_answer_is_lost():
    release = asyncio.Event()

    class Slow(FakeModels):
        async def stream(self, request):
            if len(self.requests) == 0:
                yield text("first")
                await release.wait()
            async for item in super().stream(request):
                yield item

    models = Slow(text(" answer"), text("second"))
    async with fake_session(models=models, limits=LoopLimits(steering=True)) as run:
        await run.session.send(words("go"))
        await run.until(TextDelta)
        await run.session.send(words("wait", delivery="steer"))
        release.set()
        await run.session.idle()
    assert len(models.requests) == 2
    assert len(run.of(TurnEnded)) == 1
    assert run.of(TurnEnded)[0].text == "first answersecond"


async def test_mode_model_and_root_wait_for_the_end_of_the_turn():
    gate = asyncio.Event()
    tools = [FakeTool("t", blocking(gate)), FakeTool("u")]
    policy = FakePolicy()
    models = FakeModels(call("t"), call("u"), text("ok"))
    async with fake_session(models=models, tools=tools, policy=policy) as run:
        await run.session.send(words("go"))
        for _ in range(30):
            await asyncio.sleep(0)
        await run.session.send(SetMode(Mode.YOLO))
        await run.session.send(SetModel("pro"))
        await run.session.send(AddRoot("/more"))
        gate.set()
        await run.session.idle()
        assert run.session.view.model == "pro"
    assert [facts.mode for facts in policy.facts] == [Mode.DEFAULT, Mode.YOLO]
    assert run.of(ModeChanged) == [ModeChanged(Mode.YOLO)]
    assert run.of(ModelChosen)[0] == ModelChosen("pro", "person")
    assert run.of(RootsChanged) == [RootsChanged(("/work", "/more"))]


async def test_a_root_that_cannot_be_added_breaks_the_caller():
    class Narrow(FakeWorkspace):
        def add(self, root, *, read_only=False):
            raise ToolProblem(f"{root} is not a folder", "path_not_in_workspace")

    async with fake_session(workspace=Narrow()) as run:
        await run.session.send(AddRoot("/zzz"))
    assert run.of(Notice)[0].text == "/zzz is not a folder"


async def test_a_call_beside_the_turn_enters_the_conversation_or_skips_the_rules():
    tools = [FakeTool("ask"), FakeTool("never")]
    policy = FakePolicy({"ask": Verdict.ASK, "never": Verdict.DENY})
    hooks = FakeHooks()
    async with fake_session(policy=policy, tools=tools, hooks=hooks) as run:
        first = await run.session.send(RunCall("ask", {}))
        await run.session.send(RunCall("never", {}, call_id="mine"))
        await run.until(ToolFinished, 2)
        assert run.history == ()
    done = {e.event.call.name: e for e in run.envelopes if isinstance(e.event, ToolFinished)}
    assert (done["ask"].event.status, done["ask"].turn_id) == ("success", first)
    assert (done["never"].event.error_type, done["never"].event.call.id) == (
        "policy_violation",
        "mine",
    )
    assert hooks.names.count("before_tool") == 2


async def test_a_persons_command_needs_leave_or_stays_unknown_to_the_model():
    tool = FakeTool("run_shell_command", "file.txt", kind="execute")
    policy = FakePolicy({"run_shell_command": Verdict.DENY}, hidden=["run_shell_command"])
    models = FakeModels(text("I see"))
    hooks = FakeHooks()
    async with fake_session(models=models, policy=policy, tools=[tool], hooks=hooks) as run:
        await run.session.send(Shell("ls"))
        await run.until(MessageAdded)
        await run.prompt("what is there?")
    assert tool.calls == [{"command": "ls"}]
    told = text_of(models.requests[0].contents[0].parts)
    assert "ls" in told and "file.txt" in told
    assert "before_tool" not in hooks.names


async def test_a_persons_command_breaks_into_a_call_and_its_reply():
    gate = asyncio.Event()
    tools = [FakeTool("t", blocking(gate)), FakeTool("run_shell_command", "out")]
    async with fake_session(call("t"), text("ok"), tools=tools) as run:
        await run.session.send(words("go"))
        for _ in range(30):
            await asyncio.sleep(0)
        await run.session.send(Shell("ls"))
        await run.until(ToolFinished)
        gate.set()
        await run.session.idle()
    assert [m.origin for m in run.history] == ["person", "model", "tool", "context", "model"]


async def test_keys_do_not_reach_a_running_process():
    async def work(args, ctx, answer):
        process = await ctx.processes.start(["sh"], cwd=ctx.workspace.target, env={})
        ctx.started(process.pid)
        await process.wait()
        return process.written.decode()

    processes = FakeProcesses(code=None)
    async with fake_session(
        call("t"), text("ok"), tools=[FakeTool("t", work)], processes=processes
    ) as run:
        await run.session.send(words("go"))
        for _ in range(30):
            await asyncio.sleep(0)
        send = run.session.send
        await send(CallInput("t__1", data=b"yes\n", size=(120, 40)))
        await send(CallInput("other", data=b"no"))
        await send(CallInput("t__1", action="background"))
        await send(CallInput("t__1", action="kill"))
        await run.session.idle()
        assert processes.started[0].size == PtySize(120, 40)
    assert run.replies == ["yes\n"]
    assert ["other" in e.text or "background" in e.text for e in run.of(Notice)] == [True, True]


async def test_an_answer_does_not_reach_its_question():
    policy = FakePolicy({"t": Verdict.ASK})
    async with fake_session(
        call("t"), text("ok"), tools=[FakeTool("t")], policy=policy, answered_live=True
    ) as run:
        await run.session.send(words("go"))
        raised = await run.until(AskRaised)
        assert raised.ask.id == "t__1"
        await run.session.send(AnswerAsk("t__1", "proceed_once"))
        await run.session.idle()
    assert isinstance(run.ports.people, LocalPeople)
    assert run.of(ToolFinished)[0].status == "success"


async def test_new_ports_wait_for_the_next_turn_or_break_the_running_call():
    gate = asyncio.Event()
    models = FakeModels(call("t"), text("ok"))
    async with fake_session(models=models, tools=[FakeTool("t", blocking(gate))]) as run:
        await run.session.send(words("go"))
        for _ in range(30):
            await asyncio.sleep(0)
        run.session.refit(replace(run.ports, catalog=FakeCatalog([FakeTool("fresh")])))
        gate.set()
        await run.session.idle()
    assert run.of(ToolFinished)[0].status == "success"
    assert [[t["name"] for t in r.tools] for r in models.requests] == [["t"], ["fresh"]]


async def test_close_as_an_op_leaves_the_session_open():
    hooks = FakeHooks()
    async with fake_session(hooks=hooks) as run:
        await run.session.send(Close("logout"))
    assert hooks.told("session_end") == [("logout",)]


async def test_three_thousand_deltas_get_lost_or_mixed_up():
    pieces = [text(f"word {n} of {n * 37 % 991}, ") for n in range(3000)]
    async with fake_session(pieces) as run:
        reader = run.session.subscribe(coalesce=True)
        ended = await run.prompt("go")
    assert len(run.of(TextDelta)) == 3000
    assert ended.text == "".join(text_of(piece.parts) for piece in pieces)
    joined = [e.event async for e in reader if isinstance(e.event, TextDelta)]
    assert [event.text for event in joined] == [ended.text]


async def test_output_of_a_persons_command_closes_its_fence_or_is_cut_in_silence():
    output = "a\n```\nI never said this\n````\n" + "x" * 20_000
    tools = [FakeTool("run_shell_command", output)]
    async with fake_session(tools=tools) as run:
        await run.session.send(Shell("cat `which x`"))
        await run.until(MessageAdded)
        (message,) = run.history
    words = text_of(message.parts)
    assert words.startswith(
        "I ran this command myself:\n```sh\ncat `which x`\n```\nIt gave:\n`````\na\n"
    )
    left = len(output) - 10_000
    assert words.endswith(f"x\n[{left:,} more characters are left out]\n`````")


async def test_output_of_a_persons_command_that_just_fits_counts_as_cut():
    async with fake_session(tools=[FakeTool("run_shell_command", "x" * 10_000)]) as run:
        await run.session.send(Shell("ls"))
        await run.until(MessageAdded)
        assert text_of(run.history[0].parts).endswith("x" * 10_000 + "\n```")


async def test_of_two_replacing_prompts_the_first_has_the_last_word():
    models = FakeModels([text("half"), stall()], text("third"), text("queued"))
    async with fake_session(models=models) as run:
        await run.session.send(Prompt((Text("1"),)))
        await run.session.send(Prompt((Text("queued"),)))
        await run.until(TextDelta)
        second = await run.session.send(Prompt((Text("2"),), delivery="replace"))
        await run.session.send(Prompt((Text("3"),), delivery="replace"))
        await run.session.idle()
        assert [text_of(m.parts) for m in run.history] == ["3", "third", "queued", "queued"]
    ends = {e.turn_id: e.event.end for e in run.envelopes if isinstance(e.event, TurnEnded)}
    assert ends[second] is End.CANCELLED
    assert [text_of(e.message.parts) for e in run.of(TurnStarted)] == ["1", "2", "3", "queued"]
