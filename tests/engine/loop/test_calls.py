"""Tool calls: waves, order, one reply each, the gate, tails, bounds and effects."""

import asyncio

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import (
    CallState,
    End,
    MetaChanged,
    ModeChanged,
    RootsChanged,
    ToolChanged,
    ToolFinished,
)
from gemini_cli.protocol.messages import Text, replies_of, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import Decision, Verdict
from gemini_cli.protocol.tools import (
    ModeSet,
    RootAdded,
    TailCalled,
    ToolResult,
    TopicSet,
    TurnStopped,
    failed,
    said,
)
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    text,
)


def spans(run) -> list[tuple[str, str]]:
    """When each call began and ended to run."""
    kept = (CallState.EXECUTING, CallState.SUCCESS)
    return [(e.call.id, e.state.value) for e in run.of(ToolChanged) if e.state in kept]


async def test_neighbours_wait_for_each_other_or_results_come_in_another_order():
    gate = asyncio.Event()

    async def slow(args, ctx, answer):
        await gate.wait()
        return "slow"

    def quick(args, ctx, answer):
        gate.set()
        return "quick"

    calls = [call("slow", id="1"), call("quick", id="2")]
    tools = [FakeTool("slow", slow), FakeTool("quick", quick)]
    async with fake_session(calls, text("ok"), tools=tools) as run:
        await run.prompt("go")
    assert [e.call.id for e in run.of(ToolFinished)] == ["slow__1", "quick__2"]
    assert run.replies == ["slow", "quick"]


async def test_an_edit_runs_beside_its_neighbours():
    tools = [FakeTool("read"), FakeTool("edit", kind="edit", parallel=False)]
    calls = [call("read", id="1"), call("edit", id="2"), call("read", id="3"), call("read", id="4")]
    async with fake_session(calls, text("ok"), tools=tools) as run:
        await run.prompt("go")
    assert spans(run) == [
        ("read__1", "executing"),
        ("read__1", "success"),
        ("edit__2", "executing"),
        ("edit__2", "success"),
        ("read__3", "executing"),
        ("read__4", "executing"),
        ("read__3", "success"),
        ("read__4", "success"),
    ]


async def test_a_call_that_wants_to_wait_runs_beside_its_neighbours_or_its_tool_sees_the_flag():
    tool = FakeTool("read")
    calls = [call("read", id="1"), call("read", {"wait_for_previous": True, "x": 1}, id="2")]
    async with fake_session(calls, text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert tool.most_running == 1
    assert tool.calls[1] == {"x": 1}
    assert run.of(ToolFinished)[1].call.args == {"wait_for_previous": True, "x": 1}


async def test_the_topic_does_not_come_first_or_not_alone():
    tools = [FakeTool("read"), FakeTool("update_topic", kind="think")]
    calls = [call("read", id="1"), call("update_topic", id="2"), call("read", id="3")]
    async with fake_session(calls, text("ok"), tools=tools) as run:
        await run.prompt("go")
    assert next(name for name, state in spans(run) if state == "executing") == "update_topic__2"
    ids = [reply.call_id for reply in replies_of(run.history[2].parts)]
    assert ids == ["read__1", "update_topic__2", "read__3"]


async def test_an_unknown_tool_ends_the_turn_or_names_no_neighbours():
    models = FakeModels(call("reed"), text("ok"))
    async with fake_session(models=models, tools=[FakeTool("read")]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.COMPLETED
    (finished,) = run.of(ToolFinished)
    assert (finished.status, finished.error_type) == ("error", "tool_not_registered")
    assert run.replies == ['Tool "reed" not found. Did you mean one of: read?']


async def test_a_hidden_tool_is_offered_or_can_be_called():
    models = FakeModels(call("shell"), text("ok"))
    policy = FakePolicy(hidden=["shell"])
    tool = FakeTool("shell")
    async with fake_session(models=models, policy=policy, tools=[tool, FakeTool("sh")]) as run:
        await run.prompt("go")
    assert [t["name"] for t in models.requests[0].tools] == ["sh"]
    assert tool.calls == []
    assert run.replies == ['Tool "shell" not found. Did you mean one of: sh?']


@pytest.mark.parametrize(
    ("does", "kind", "words"),
    [
        (failed("no such file", "file_not_found"), "file_not_found", "no such file"),
        (ToolProblem("too big", "file_too_large"), "file_too_large", "too big"),
        (RuntimeError("oops"), "unhandled_exception", "RuntimeError: oops"),
    ],
)
async def test_a_failing_tool_breaks_the_turn(does, kind, words):
    def work(args, ctx, answer):
        if isinstance(does, Exception):
            raise does
        return does

    async with fake_session(call("t"), text("ok"), tools=[FakeTool("t", work)]) as run:
        ended = await run.prompt("go")
    (finished,) = run.of(ToolFinished)
    assert ended.end is End.COMPLETED
    assert (finished.status, finished.error_type, finished.reply.is_error) == ("error", kind, True)
    assert run.replies == [words]


async def test_wrong_arguments_run_the_tool():
    tool = FakeTool("t", required=["path"])
    async with fake_session(call("t"), text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert tool.calls == []
    assert run.of(ToolFinished)[0].error_type == "invalid_tool_params"


async def test_a_denied_call_runs_or_its_reason_is_lost():
    policy = FakePolicy({"t": Decision(Verdict.DENY, "not on Sundays")})
    tool = FakeTool("t")
    async with fake_session(call("t"), text("ok"), policy=policy, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (tool.calls, ended.end) == ([], End.COMPLETED)
    assert run.replies == ["Tool execution denied by policy: not on Sundays"]
    assert run.of(ToolFinished)[0].error_type == "policy_violation"


async def test_effects_are_lost_or_come_before_the_call_is_done():
    effects = (ModeSet(Mode.PLAN), RootAdded("/other"), TopicSet("Cats", "all of them"))
    tool = FakeTool("t", ToolResult((Text("x"),), effects=effects))
    async with fake_session(call("t"), text("ok"), tools=[tool]) as run:
        await run.prompt("go")
        view = run.session.view
    assert (view.mode, view.topic, view.roots) == (Mode.PLAN, "Cats", ("/work", "/other"))
    order = [type(event) for event in run.events]
    first = order.index(ToolFinished)
    assert order[first + 1 : first + 4] == [ModeChanged, RootsChanged, MetaChanged]


async def test_a_mode_set_by_one_call_does_not_bind_the_next():
    tools = [
        FakeTool("plan", ToolResult(effects=(ModeSet(Mode.PLAN),)), parallel=False),
        FakeTool("read"),
    ]
    policy = FakePolicy()
    calls = [call("plan", id="1"), call("read", id="2")]
    async with fake_session(calls, text("ok"), tools=tools, policy=policy) as run:
        await run.prompt("go")
    assert [facts.mode for facts in policy.facts] == [Mode.DEFAULT, Mode.PLAN]


async def test_a_tool_that_stops_the_turn_is_ignored():
    tool = FakeTool("t", ToolResult((Text("x"),), effects=(TurnStopped("enough"),)))
    async with fake_session(call("t"), tools=[tool]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.STOPPED
    assert ended.problem.message == "enough"
    assert len(replies_of(run.history[-1].parts)) == 1


async def test_a_tail_call_gets_a_second_reply_or_skips_the_gate():
    first = FakeTool("first", ToolResult(effects=(TailCalled("second", {"n": 1}),)))
    second = FakeTool("second", "from second")
    policy, hooks = FakePolicy(), FakeHooks()
    models = FakeModels(call("first"), text("ok"))
    async with fake_session(
        models=models, tools=[first, second], policy=policy, hooks=hooks
    ) as run:
        await run.prompt("go")
    (reply,) = replies_of(run.history[2].parts)
    assert (reply.call_id, reply.name, text_of(reply.parts)) == ("first__1", "first", "from second")
    assert [facts.name for facts in policy.facts] == ["first", "second"]
    assert [told[2] for told in hooks.told("before_tool")] == [None, "first"]


async def test_tail_calls_in_a_circle_never_end():
    tool = FakeTool("t", ToolResult(effects=(TailCalled("t", {}),)))
    async with fake_session(call("t"), text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert len(tool.calls) == LoopLimits().tail_calls + 1
    assert run.of(ToolFinished)[0].status == "error"


async def test_a_tail_call_to_nowhere_breaks_the_turn():
    tool = FakeTool("t", ToolResult(effects=(TailCalled("zz", {}),)))
    async with fake_session(call("t"), text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert run.of(ToolFinished)[0].error_type == "tool_not_registered"


async def test_what_is_around_a_call_is_left_out():
    seen = []

    class Around:
        async def before(self, called, invocation):
            seen.append(("before", called.name))

        async def after(self, called, invocation, result):
            seen.append(("after", called.name))
            return said("changed")

    async with fake_session(
        call("t"), text("ok"), tools=[FakeTool("t")], around=(Around(),)
    ) as run:
        await run.prompt("go")
    assert seen == [("before", "t"), ("after", "t")]
    assert run.replies == ["changed"]


async def test_two_calls_with_one_id_share_a_reply():
    calls = [call("t", {"n": 1}), call("t", {"n": 2})]
    async with fake_session(
        calls, text("ok"), tools=[FakeTool("t", lambda a, c, x: str(a["n"]))]
    ) as run:
        await run.prompt("go")
    replies = replies_of(run.history[2].parts)
    assert len({reply.call_id for reply in replies}) == 2
    assert run.replies == ["1", "2"]


async def test_later_calls_are_announced_only_when_their_turn_comes():
    tools = [FakeTool("edit", kind="edit", parallel=False)]
    calls = [call("edit", id="1"), call("zzz", id="2"), call("edit", id="3")]
    async with fake_session(calls, text("ok"), tools=tools) as run:
        await run.prompt("go")
    announced = [e.call.id for e in run.of(ToolChanged) if e.state is CallState.VALIDATING]
    assert announced == ["edit__1", "zzz__2", "edit__3"]
    first_end = next(i for i, e in enumerate(run.events) if isinstance(e, ToolFinished))
    last_start = max(
        i
        for i, e in enumerate(run.events)
        if isinstance(e, ToolChanged) and e.state is CallState.VALIDATING
    )
    assert last_start < first_end
    assert [e.call.id for e in run.of(ToolFinished)] == announced


async def test_a_tool_with_a_broken_title_breaks_the_turn():
    class Bad(FakeTool):
        def prepare(self, args):
            made = super().prepare(args)
            del made.title
            return made

    async with fake_session(call("t"), text("ok"), tools=[Bad("t")]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.COMPLETED
    assert run.of(ToolFinished)[0].error_type == "unhandled_exception"
