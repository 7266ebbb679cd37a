"""Batches of calls at their edges: odd company in a wave, hand-overs, asks without words."""

import asyncio

from gemini_cli.protocol.events import (
    CallState,
    End,
    MetaChanged,
    Notice,
    ToolChanged,
    ToolFinished,
)
from gemini_cli.protocol.hooks import AfterToolOutcome, BeforeToolOutcome
from gemini_cli.protocol.messages import Text, Usage
from gemini_cli.protocol.model import Chunk
from gemini_cli.protocol.ops import CallInput, Cancel, Prompt, RunCall, Shell
from gemini_cli.protocol.people import CANCEL, Ask
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.tools import TailCalled, ToolResult, TopicSet
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeProcesses,
    FakeTool,
    call,
    fake_session,
    text,
)


def tail(name: str, **args) -> ToolResult:
    return ToolResult(for_model=(Text("first"),), effects=(TailCalled(name, args),))


async def test_an_unknown_tool_splits_its_neighbours_into_waves():
    tool = FakeTool("read")
    calls = [call("read", id="1"), call("nothing", id="2"), call("read", id="3")]
    async with fake_session(calls, text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert tool.most_running == 2


async def test_an_answer_with_nothing_but_a_topic_counts_as_declined():
    tool = FakeTool("update_topic", kind="think")
    async with fake_session(call("update_topic"), text("ok"), tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.text) == (End.COMPLETED, "ok")


async def test_keys_reach_the_process_of_a_call_that_is_over():
    async def work(args, ctx, answer):
        await ctx.processes.start(["sh"], cwd=ctx.workspace.target, env={})
        return "done"

    processes = FakeProcesses()
    async with fake_session(
        call("t"), text("ok"), tools=[FakeTool("t", work)], processes=processes
    ) as run:
        await run.prompt("go")
        await run.session.send(CallInput("t__1", data=b"late"))
    assert processes.started[0].written == b""
    assert run.of(Notice)[0].code == "call_input"


async def test_a_persons_own_command_loses_the_tool_it_hands_over_to():
    tools = [FakeTool("run_shell_command", tail("next")), FakeTool("next", "from next")]
    hooks = FakeHooks()
    async with fake_session(tools=tools, hooks=hooks) as run:
        await run.session.send(Shell("ls"))
        await run.until(ToolFinished)
    assert run.replies == ["from next"]
    assert "after_tool" not in hooks.names


async def test_a_tool_overrules_the_hook_that_hands_over_after_it():
    tools = [FakeTool("t", tail("tools")), FakeTool("tools"), FakeTool("hooks", "the hook's")]
    hooks = FakeHooks(after_tool=[AfterToolOutcome(tail=TailCalled("hooks", {}))])
    async with fake_session(call("t"), text("ok"), tools=tools, hooks=hooks) as run:
        await run.prompt("go")
    assert run.replies == ["the hook's"]


async def test_the_next_tool_of_a_hand_over_gets_the_answer_meant_for_the_first():
    answers = []

    def work(args, ctx, answer):
        answers.append(answer and answer.choice)
        return "done"

    def hands_over(args, ctx, answer):
        answers.append(answer and answer.choice)
        return tail("second")

    question = Ask("", "form", "Which?", (), CANCEL)
    tools = [FakeTool("first", hands_over, question=question), FakeTool("second", work)]
    policy = FakePolicy({"first": Verdict.ASK})
    people = FakePeople("blue")
    async with fake_session(
        call("first"), text("ok"), tools=tools, policy=policy, people=people
    ) as run:
        await run.prompt("go")
    assert answers == ["blue", None]


async def test_a_person_cannot_call_a_tool_that_is_hidden_from_models():
    policy = FakePolicy(hidden=["restore"])
    async with fake_session(tools=[FakeTool("restore", "back")], policy=policy) as run:
        await run.session.send(RunCall("restore", {}))
        await run.until(ToolFinished)
    assert run.replies == ["back"]


async def test_a_hook_that_asks_without_a_reason_is_not_heard():
    hooks = FakeHooks(before_tool=BeforeToolOutcome(ask=""))
    people = FakePeople(CANCEL)
    tool = FakeTool("t")
    async with fake_session(call("t"), tools=[tool], hooks=hooks, people=people) as run:
        ended = await run.prompt("go")
    assert (ended.end, tool.calls) == (End.DECLINED, [])


async def test_a_call_that_succeeded_before_a_cancel_loses_what_it_changed():
    """The model is told of the success, so what came with it must hold as well."""

    async def forever(args, ctx, answer):
        await asyncio.get_running_loop().create_future()

    quick = FakeTool("quick", ToolResult(effects=(TopicSet(title="cats", summary=""),)))
    calls = [call("quick", id="1"), call("slow", id="2")]
    async with fake_session(calls, tools=[quick, FakeTool("slow", forever)]) as run:
        await run.session.send(Prompt((Text("go"),)))
        while CallState.SUCCESS not in [event.state for event in run.of(ToolChanged)]:
            await run.until(ToolChanged, len(run.of(ToolChanged)) + 1)
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.session.view.topic == "cats"
    assert [event.status for event in run.of(ToolFinished)] == ["success", "cancelled"]
    assert run.of(MetaChanged) == [MetaChanged({"topic": "cats"})]


async def test_the_room_left_in_the_window_does_not_shorten_output():
    used = Chunk((call("t").parts[0],), "STOP", Usage(input=900))
    models = FakeModels([used], text("ok"), input_tokens=1000)
    tool = FakeTool("t", ToolResult(for_model=(Text("x" * 500),), truncate=True))
    async with fake_session(models=models, tools=[tool]) as run:
        await run.prompt("go")
    assert "shown are 400" in run.replies[0]
