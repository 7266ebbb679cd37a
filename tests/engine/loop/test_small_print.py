"""Things about turns and steps that are easily lost: ids, ends, counts, times, who said what."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from gemini_cli.engine.loop import AgentTool, LoopLimits
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.errors import BadRequest, Overloaded
from gemini_cli.protocol.events import (
    End,
    Failed,
    MessageAdded,
    ModelChosen,
    ModelReplied,
    Notice,
    Retrying,
    RolledBack,
    TextDelta,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.hooks import (
    AfterAgentOutcome,
    AfterModelOutcome,
    BeforeAgentOutcome,
    BeforeModelOutcome,
    BeforeToolOutcome,
)
from gemini_cli.protocol.messages import Text, Usage, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Chunk, Retried
from gemini_cli.protocol.ops import Cancel, Close, Prompt, SetMode, SetModel, Shell
from gemini_cli.protocol.ports import Go, Inject, Stop
from gemini_cli.protocol.tools import RootAdded, ToolResult, failed
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePolicy,
    FakeTool,
    FakeWorkspace,
    call,
    fake_session,
    retried,
    stall,
    text,
    thought,
)


def said(run) -> list[str]:
    return [text_of(message.parts) for message in run.history]


class Advises:
    """A guard that always says the same."""

    def __init__(self, advice):
        self.advice = advice

    def saw(self, event):
        pass

    def tripped(self):
        return False

    async def before_step(self, view):
        return self.advice


@pytest.mark.parametrize(("given", "used"), [("p#1", "p#1"), ("", "session")])
async def test_requests_of_a_prompt_carry_another_id(given, used):
    async with fake_session(text("ok")) as run:
        await run.session.send(Prompt((Text("go"),), prompt_id=given))
        await run.session.idle()
    assert run.ports.models.requests[0].prompt_id == used
    assert run.of(TurnStarted)[0].prompt_id == used


async def test_a_fresh_session_is_not_idle():
    async with fake_session() as run:
        await asyncio.wait_for(run.session.idle(), 5)
        assert run.of(TurnStarted) == []


async def test_hooks_are_asked_about_a_prompt_that_was_cancelled_already():
    hooks = FakeHooks()
    async with fake_session(hooks=hooks) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.session.send(Cancel())
        await run.session.idle()
        assert "before_agent" not in hooks.names


async def test_what_was_said_before_a_cancel_counts_as_the_answer():
    async with fake_session(
        [text("a"), call("t")], [text("b"), stall()], tools=[FakeTool("t")]
    ) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(TextDelta, 2)
        await run.session.send(Cancel())
        await run.session.idle()
    assert run.of(TurnEnded) == [TurnEnded(End.CANCELLED, steps=2)]


async def test_a_guard_that_always_adds_something_keeps_the_turn_alive():
    limits = LoopLimits(continuations=3)
    always = Advises(Inject((Text("think"),)))
    models = FakeModels(*[call("t", id=str(n)) for n in range(9)])
    async with fake_session(
        models=models, tools=[FakeTool("t")], guards=(lambda: always,), limits=limits
    ) as run:
        ended = await run.prompt("go")
    assert (ended.end, len(models.requests)) == (End.MAX_STEPS, 3)
    assert run.of(Notice) == []
    added = run.of(MessageAdded)
    assert [(e.message.role, e.message.origin) for e in added] == [("user", "notice")] * 3


@pytest.mark.parametrize(("end", "told"), [("nonsense", End.STOPPED), ("refused", End.REFUSED)])
async def test_a_guard_ends_the_turn_in_a_way_nobody_knows(end, told):
    stop = Advises(Stop(end, "enough"))
    async with fake_session(guards=(lambda: stop,)) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.problem.message, ended.problem.exit_code) == (told, "enough", 0)


@pytest.mark.parametrize(("allowed", "asked"), [(0, 1), (1, 2), (2, 3)])
async def test_hooks_demand_more_than_they_may(allowed, asked):
    hooks = FakeHooks(after_agent=AfterAgentOutcome(block="more"))
    models = FakeModels(*[text(str(n)) for n in range(5)])
    limits = LoopLimits(continuations=allowed)
    async with fake_session(models=models, hooks=hooks, limits=limits) as run:
        assert (await run.prompt("go")).end is End.MAX_STEPS
    assert len(models.requests) == asked


async def test_hooks_that_stop_a_turn_at_its_end_are_not_heard():
    hooks = FakeHooks(after_agent=AfterAgentOutcome(stop="enough", block="more"))
    async with fake_session(text("done"), hooks=hooks) as run:
        ended = await run.prompt("go")
        assert said(run) == ["go", "done"]
    assert (ended.end, ended.text) == (End.STOPPED, "done")
    assert (ended.problem.message, ended.problem.exit_code) == ("enough", 0)
    assert run.of(Failed) == []


async def test_a_failure_after_a_demand_takes_more_than_the_demand():
    hooks = FakeHooks(after_agent=AfterAgentOutcome(block="more"))
    async with fake_session(text("done"), [BadRequest("no")], hooks=hooks) as run:
        assert (await run.prompt("go")).end is End.FAILED
        assert said(run) == ["go", "done"]
    (demand,) = run.of(MessageAdded)
    assert (demand.message.role, demand.message.origin) == ("user", "hook")
    assert run.of(RolledBack)[0].dropped == (demand.message.id,)


async def test_a_subagent_that_just_talks_is_told_to_the_last_hooks():
    hooks = FakeHooks()
    tools = [AgentTool(AgentSpec("scout", "d", "i"))]
    script = [call("scout", {"prompt": "x"}), text("hm"), text("hm"), text("done")]
    async with fake_session(*script, tools=tools, hooks=hooks) as run:
        await run.prompt("go")
    assert [told[0] for told in hooks.told("after_agent")] == ["go"]


@pytest.mark.parametrize(("interactive", "end"), [(True, End.COMPLETED), (False, End.FAILED)])
async def test_a_full_disk_ends_the_work_of_a_person(interactive, end):
    tool = FakeTool("t", failed("disk full", "no_space_left"))
    async with fake_session(call("t"), text("ok"), tools=[tool], interactive=interactive) as run:
        ended = await run.prompt("go")
    assert ended.end is end
    if not interactive:
        problem = ended.problem
        assert (problem.kind, problem.message, problem.exit_code) == (
            *("ToolExecutionError", "disk full"),
            54,
        )
        assert [event.problem for event in run.of(Failed)] == [problem]


async def test_a_reached_limit_is_told_as_a_failure():
    async with fake_session(limits=LoopLimits(max_steps=0)) as run:
        assert (await run.prompt("go")).end is End.MAX_STEPS
    assert run.of(Failed) == []


async def test_a_command_during_a_turn_stays_unknown_after_it():
    async with fake_session([text("a"), stall()], tools=[FakeTool("run_shell_command")]) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(TextDelta)
        await run.session.send(Shell("ls"))
        for _ in range(30):
            await asyncio.sleep(0)
        assert len(run.history) == 1
        await run.session.send(Cancel())
        await run.session.idle()
        assert ["I ran this command" in words for words in said(run)] == [True]


async def test_ports_put_in_during_the_last_step_wait_for_another_turn():
    async with fake_session([text("a"), stall()]) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(TextDelta)
        fresh = replace(run.ports, models=FakeModels(text("new")))
        run.session.refit(fresh)
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.session.state.ports is fresh


async def test_words_a_hook_ended_are_kept_without_their_cost():
    used = Usage(input=7)
    hooks = FakeHooks(after_model=[AfterModelOutcome(), AfterModelOutcome(stop="enough")])
    chunk = Chunk((Text("half"),), usage=used, model="real-model")
    async with fake_session([chunk, text("more")], hooks=hooks) as run:
        await run.prompt("go")
        (replied,) = run.of(ModelReplied)
        assert run.history[-1] is replied.message
    message = replied.message
    assert (message.role, message.origin, message.model) == ("model", "model", "real-model")
    assert (text_of(message.parts), message.usage) == ("half", used)
    (reported,) = run.of(UsageReported)
    assert (reported.model, reported.usage) == ("real-model", used)


async def test_an_answer_that_a_hook_ended_before_its_first_word_is_kept_empty():
    hooks = FakeHooks(after_model=AfterModelOutcome(stop="enough"))
    async with fake_session(text("never"), hooks=hooks) as run:
        await run.prompt("go")
        assert said(run) == ["go"]
    assert run.of(ModelReplied) == []
    assert len(run.of(UsageReported)) == 1


async def test_an_answer_of_a_hook_loses_its_ending_or_counts_as_a_request():
    canned = BeforeModelOutcome(response=(Chunk((Text("half"),), "MAX_TOKENS"),))
    async with fake_session(hooks=FakeHooks(before_model=canned)) as run:
        await run.prompt("go")
    assert run.of(ModelReplied)[0].finish == "MAX_TOKENS"
    assert run.of(ModelReplied)[0].message.model == "fake-model"
    assert run.of(UsageReported) == []


async def test_a_failed_answer_gets_the_note_for_empty_ones():
    models = FakeModels([text("half"), Overloaded("busy", model="other")], text("ok"))
    async with fake_session(models=models) as run:
        await run.prompt("go")
    assert text_of(models.requests[1].contents[-1].parts) == "go"
    assert run.of(Retrying)[0].model == "other"


async def test_a_nudged_answer_names_no_model_while_it_waits():
    async with fake_session([thought("hm")], text("ok")) as run:
        await run.prompt("go")
    assert run.of(Retrying)[0].model == "fake-model"


async def test_waits_between_connections_count_as_time_of_the_model():
    class Slow(FakeModels):
        async def stream(self, request):
            async for item in super().stream(request):
                run.ports.clock.pass_by(0.25)
                yield item
                if isinstance(item, Retried):
                    run.ports.clock.pass_by(item.delay_ms / 1000)

    models = Slow([retried(delay_ms=1500), text("a"), text("b", "STOP")])
    async with fake_session(models=models) as run:
        await run.prompt("go")
    assert [event.latency_ms for event in run.of(UsageReported)] == [20, 500]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        *((reason, reason) for reason in ("exit", "clear", "logout", "prompt_input_exit")),
        ("window closed", "other"),
    ],
)
async def test_end_hooks_are_told_another_reason(given, told):
    hooks = FakeHooks()
    async with fake_session(hooks=hooks) as run:
        assert await run.session.send(Close(given)) == ""
    assert hooks.told("session_end") == [(told,)]


@pytest.mark.parametrize(
    ("outcome", "end", "kept"),
    [
        (BeforeAgentOutcome(stop="no", block="no"), End.STOPPED, ["go"]),
        (BeforeAgentOutcome(block="no", context="x"), End.BLOCKED, []),
    ],
)
async def test_hooks_that_want_two_things_get_the_weaker(outcome, end, kept):
    async with fake_session(hooks=FakeHooks(before_agent=outcome)) as run:
        assert (await run.prompt("go")).end is end
        assert said(run) == kept


async def test_a_hook_that_stops_and_blocks_a_tool_only_blocks_it():
    hooks = FakeHooks(before_tool=BeforeToolOutcome(stop="enough", block="no"))
    async with fake_session(call("t"), hooks=hooks, tools=[FakeTool("t")]) as run:
        assert (await run.prompt("go")).end is End.STOPPED


async def test_advice_to_go_on_ends_the_turn():
    async with fake_session(text("ok"), guards=(lambda: Advises(Go()),)) as run:
        assert (await run.prompt("go")).end is End.COMPLETED


async def test_a_reader_that_comes_late_is_given_everything_or_nothing():
    async with fake_session([text("a"), text("b")]) as run:
        await run.prompt("go")
        opened = run.envelopes[0].seq
        late = run.session.subscribe(after=opened)
        fresh = run.session.subscribe()
    durable = [e for e in run.envelopes if e.event.durable and e.seq > opened]
    assert [e async for e in late] == durable
    assert [e async for e in fresh] == []


async def test_deltas_are_joined_for_readers_who_want_each():
    async with fake_session([text("a"), text("b")]) as run:
        each, joined = run.session.subscribe(), run.session.subscribe(coalesce=True)
        await run.prompt("go")
    for reader, deltas in ((each, ["a", "b"]), (joined, ["ab"])):
        told = [e.event.text async for e in reader if isinstance(e.event, TextDelta)]
        assert told == deltas


async def test_a_model_named_again_is_told_again():
    async with fake_session() as run:
        await run.session.send(SetModel("other"))
        await run.session.send(SetModel("other"))
    assert run.of(ModelChosen) == [ModelChosen("other", "person")]


@pytest.mark.parametrize("read_only", [True, False])
async def test_a_folder_for_reading_may_be_written(read_only):
    class Noting(FakeWorkspace):
        def add(self, root, *, read_only=False):
            added.append((root, read_only))

    added = []
    tool = FakeTool("t", ToolResult((Text("x"),), effects=(RootAdded("/lib", read_only),)))
    async with fake_session(call("t"), text("ok"), tools=[tool], workspace=Noting()) as run:
        await run.prompt("go")
    assert added == [(Path("/lib"), read_only)]


async def test_a_subagent_is_asked_about_as_its_parent():
    class Notes(Advises):
        async def before_step(self, view):
            views.append(view)
            return Go()

    async def switches(args, ctx, answer):
        await run.session.send(SetMode(Mode.YOLO))
        return "ok"

    views, policy = [], FakePolicy()
    tools = [AgentTool(AgentSpec("scout", "d", "i")), FakeTool("t", switches), FakeTool("u")]
    script = [
        *(call("scout", {"prompt": "x"}), call("t"), call("u")),
        *(call("complete_task", {"result": "r"}), text("done")),
    ]
    guards = (lambda: Notes(Go()),)
    async with fake_session(*script, tools=tools, guards=guards, policy=policy) as run:
        await run.session.send(Prompt((Text("go"),), prompt_id="p#1"))
        await run.session.idle()
    assert [view.agent for view in views] == [(), *[("scout",)] * 3, ()]
    assert [view.turn_steps for view in views] == [0, 0, 1, 2, 1]
    assert (views[0].prompt_id, views[1].prompt_id) == ("p#1", views[1].session_id)
    assert [(facts.name, facts.mode) for facts in policy.facts] == [
        ("scout", Mode.DEFAULT),
        ("t", Mode.DEFAULT),
        ("u", Mode.YOLO),
        ("complete_task", Mode.YOLO),
    ]
