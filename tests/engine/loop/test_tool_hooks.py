"""What hooks may do before and after a tool, and what they may not."""

from gemini_cli.protocol.events import (
    End,
    ToolFinished,
)
from gemini_cli.protocol.hooks import (
    AfterToolOutcome,
    BeforeToolOutcome,
)
from gemini_cli.protocol.ops import RunCall
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.tools import TailCalled
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakePeople,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    text,
)


async def test_a_blocked_tool_runs_or_ends_the_turn():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=BeforeToolOutcome(block="dangerous"))
    async with fake_session(call("t"), text("ok"), hooks=hooks, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (tool.calls, ended.end) == ([], End.COMPLETED)
    assert run.replies == ["Tool execution blocked: dangerous"]
    assert run.of(ToolFinished)[0].error_type == "policy_violation"


async def test_a_stop_before_a_tool_lets_the_rest_run():
    tool = FakeTool("t", parallel=False)
    hooks = FakeHooks(before_tool=BeforeToolOutcome(stop="enough"))
    calls = [call("t", id="1"), call("t", id="2")]
    async with fake_session(calls, hooks=hooks, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (tool.calls, ended.end) == ([], End.STOPPED)
    first, second = run.of(ToolFinished)
    assert (first.error_type, second.status) == ("stop_execution", "cancelled")


async def test_arguments_of_a_hook_are_merged_or_not_checked_or_not_told():
    tool = FakeTool("t", required=["path"])
    hooks = FakeHooks(
        before_tool=[BeforeToolOutcome(args={"path": "b"}), BeforeToolOutcome(args={})]
    )
    script = [call("t", {"path": "a", "x": 1}), call("t", {"path": "a"}, id="2"), text("ok")]
    async with fake_session(*script, hooks=hooks, tools=[tool]) as run:
        await run.prompt("go")
    assert tool.calls == [{"path": "b"}]
    assert "A hook changed the parameters" in run.replies[0]
    assert run.of(ToolFinished)[1].error_type == "invalid_tool_params"


async def test_a_hook_that_asks_is_overruled_by_an_allow():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=BeforeToolOutcome(ask="look closely"))
    people = FakePeople("cancel")
    async with fake_session(call("t"), hooks=hooks, people=people, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (tool.calls, ended.end) == ([], End.DECLINED)
    assert people.asks[0].message == "look closely"


async def test_a_hook_that_asks_loosens_a_deny():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=BeforeToolOutcome(ask="look closely"))
    people = FakePeople("proceed_once")
    policy = FakePolicy({"t": Verdict.DENY})
    async with fake_session(
        call("t"), text("ok"), hooks=hooks, people=people, policy=policy, tools=[tool]
    ) as run:
        await run.prompt("go")
    assert (tool.calls, people.asks) == ([], [])


async def test_a_hook_that_asks_hangs_without_people():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=BeforeToolOutcome(ask="look closely"))
    async with fake_session(call("t"), text("ok"), hooks=hooks, tools=[tool]) as run:
        await run.prompt("go")
    assert run.replies == ["Tool execution denied by policy: look closely"]


async def test_a_question_is_shown_before_the_notification_hook_knows():
    hooks = FakeHooks()
    people = FakePeople("proceed_once")
    policy = FakePolicy({"t": Verdict.ASK})
    async with fake_session(
        call("t"), text("ok"), hooks=hooks, people=people, policy=policy, tools=[FakeTool("t")]
    ) as run:
        await run.prompt("go")
    ((kind, _, details),) = hooks.told("notification")
    assert (kind, details["type"], details["title"]) == ("ToolPermission", "info", "Allow t?")


async def test_a_hidden_result_reaches_the_model():
    hooks = FakeHooks(after_tool=AfterToolOutcome(block="contains a secret"))
    tool = FakeTool("t", "the secret")
    async with fake_session(call("t"), text("ok"), hooks=hooks, tools=[tool]) as run:
        await run.prompt("go")
    assert run.replies == ["contains a secret"]
    assert run.of(ToolFinished)[0].status == "error"


async def test_context_after_a_tool_is_lost():
    hooks = FakeHooks(after_tool=AfterToolOutcome(context="lint: ok"))
    async with fake_session(
        call("t"), text("ok"), hooks=hooks, tools=[FakeTool("t", "done")]
    ) as run:
        await run.prompt("go")
    assert run.replies == ["done\n<hook_context>lint: ok</hook_context>"]


async def test_a_tail_call_of_a_hook_keeps_the_first_result():
    outcomes = [AfterToolOutcome(tail=TailCalled("second", {})), AfterToolOutcome()]
    tools = [FakeTool("first", "one"), FakeTool("second", "two")]
    hooks = FakeHooks(after_tool=outcomes)
    async with fake_session(call("first"), text("ok"), hooks=hooks, tools=tools) as run:
        await run.prompt("go")
    assert run.replies == ["two"]
    assert run.of(ToolFinished)[0].reply.name == "first"


async def test_a_stop_after_a_tool_is_ignored():
    hooks = FakeHooks(after_tool=AfterToolOutcome(stop="enough"))
    async with fake_session(call("t"), hooks=hooks, tools=[FakeTool("t")]) as run:
        ended = await run.prompt("go")
    assert ended.end is End.STOPPED
    assert run.of(ToolFinished)[0].error_type == "stop_execution"


async def test_a_hook_that_asks_is_overruled_where_a_person_calls_the_tool():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=BeforeToolOutcome(ask="look closely"))
    people, policy = FakePeople("cancel"), FakePolicy({"t": Verdict.ASK})
    async with fake_session(hooks=hooks, people=people, policy=policy, tools=[tool]) as run:
        await run.session.send(RunCall("t", {}))
        await run.until(ToolFinished)
    assert [ask.message for ask in people.asks] == ["look closely"]
    assert tool.calls == []


async def test_a_stop_before_one_of_two_neighbours_lets_the_other_run():
    tool = FakeTool("t")
    hooks = FakeHooks(before_tool=[BeforeToolOutcome(stop="enough")])
    calls = [call("t", id="1"), call("t", id="2")]
    async with fake_session(calls, hooks=hooks, tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (tool.calls, ended.end) == ([], End.STOPPED)
    assert [event.status for event in run.of(ToolFinished)] == ["error", "cancelled"]
