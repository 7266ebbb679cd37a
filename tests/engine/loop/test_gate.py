"""What rules, hooks and people are told of a call, and what is kept of what they say."""

import pytest

from gemini_cli.engine.loop import AgentTool
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.display import (
    CommandPreview,
    EditPreview,
    FileDiff,
    InfoPreview,
    McpPreview,
)
from gemini_cli.protocol.events import CallState, End, ToolChanged, ToolFinished
from gemini_cli.protocol.hooks import AfterToolOutcome, BeforeToolOutcome
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import Shell
from gemini_cli.protocol.people import Ask, AskChoice
from gemini_cli.protocol.policy import Decision, Verdict
from gemini_cli.protocol.tools import TailCalled, ToolResult, failed
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    text,
)


def asks() -> FakePolicy:
    return FakePolicy({"t": Verdict.ASK})


async def test_rules_are_not_told_who_calls_what():
    spec = AgentSpec("scout", "d", "i")
    remote = FakeTool("remote", kind="fetch", server="web")
    tools = [AgentTool(spec), FakeTool("edit", kind="edit"), remote]
    models = FakeModels(
        [call("edit", {"a": 1}, id="1"), call("scout", {"prompt": "x"}, id="2")],
        call("remote", id="3"),
        call("complete_task", {"result": "r"}, id="4"),
        text("ok"),
    )
    policy, hooks = FakePolicy(), FakeHooks()
    async with fake_session(models=models, tools=tools, policy=policy, hooks=hooks) as run:
        await run.prompt("go")
    told = {f.name: (f.args, f.kind, f.read_only, f.server, f.agent) for f in policy.facts}
    assert told["edit"] == ({"a": 1}, "edit", False, None, ())
    assert told["remote"] == ({}, "fetch", True, "web", ("scout",))
    mcp = {"server_name": "web", "tool_name": "remote"}
    before = {called.name: server for called, server, _ in hooks.told("before_tool")}
    after = {called.name: server for called, _, server, _ in hooks.told("after_tool")}
    assert (before["remote"], after["remote"]) == (mcp, mcp)
    assert before["edit"] is after["edit"] is None


DIFF = FileDiff("/work/f", "f", "@@", "old", "new")
SHOWN = {
    "edit": (
        EditPreview(DIFF),
        {
            "type": "edit",
            "fileName": "f",
            "filePath": "/work/f",
            "fileDiff": "@@",
            "originalContent": "old",
            "newContent": "new",
            "isModifying": False,
        },
    ),
    "exec": (
        CommandPreview("ls | wc", "/work", ("ls", "wc")),
        {"type": "exec", "command": "ls | wc", "rootCommand": "ls, wc"},
    ),
    "mcp": (
        McpPreview("web", "get", {}),
        {"type": "mcp", "serverName": "web", "toolName": "get", "toolDisplayName": "get"},
    ),
    "info": (
        InfoPreview("fetch it", ("http://x",)),
        {"type": "info", "prompt": "fetch it", "urls": ["http://x"]},
    ),
    "nothing": (None, {"type": "info", "prompt": "Allow t?"}),
}


@pytest.mark.parametrize("kind", SHOWN)
async def test_the_notification_hook_is_told_less_than_the_person(kind):
    preview, details = SHOWN[kind]
    hooks, people = FakeHooks(), FakePeople("proceed_once")
    tool = FakeTool("t", preview=preview)
    async with fake_session(
        call("t"), text("ok"), hooks=hooks, people=people, policy=asks(), tools=[tool]
    ) as run:
        await run.prompt("go")
    assert hooks.told("notification") == [
        ("ToolPermission", "Allow t?", {**details, "title": "Allow t?"})
    ]
    assert people.previews == [preview]


async def test_a_question_without_a_title_shows_nothing():
    question = Ask("", "question", "", (AskChoice("red", "Red"),), "red", message="Which?")
    hooks, people = FakeHooks(), FakePeople("red")
    tool = FakeTool("t", question=question)
    async with fake_session(
        call("t", {"a": "x"}), text("ok"), hooks=hooks, people=people, policy=asks(), tools=[tool]
    ) as run:
        await run.prompt("go")
    (asked,) = people.asks
    assert (asked.id, asked.title, asked.message) == ("t__1", "t x", "Which?")
    ((_, message, details),) = hooks.told("notification")
    assert (message, details["prompt"]) == ("Which?", "Which?")


@pytest.mark.parametrize(("choice", "decision"), [("red", "accept"), ("cancel", "reject")])
async def test_an_answered_question_is_told_as_something_else(choice, decision):
    question = Ask("", "question", "Which?", (AskChoice("red", "Red"),), "red")
    tool = FakeTool("t", lambda args, ctx, answer: answer.choice, question=question)
    async with fake_session(
        call("t"), text("ok"), people=FakePeople(choice), policy=asks(), tools=[tool]
    ) as run:
        await run.prompt("go")
    (finished,) = run.of(ToolFinished)
    assert (finished.decision, run.replies) == (decision, [choice])


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ("proceed_once", "accept"),
        ("proceed_always", "auto_accept"),
        (("proceed_once", {"args": {"a": 1}}), "accept"),
        (("proceed_once", {"args": {"a": 2}}), "modify"),
        (("proceed_always", {"args": {"a": 2}}), "modify"),
    ],
)
async def test_an_approval_is_told_as_something_else(answer, decision):
    seen = []
    tool = FakeTool("t", lambda args, ctx, answer: seen.append((args, answer.choice)) or "ok")
    async with fake_session(
        call("t", {"a": 1}), text("ok"), people=FakePeople(answer), policy=asks(), tools=[tool]
    ) as run:
        await run.prompt("go")
    assert run.of(ToolFinished)[0].decision == decision
    choice, content = answer if isinstance(answer, tuple) else (answer, {"args": {"a": 1}})
    assert seen == [(content["args"], choice)]


async def test_once_must_be_on_the_menu():
    class Menu(FakePolicy):
        def choices(self, facts):
            return Ask("", "approval", "?", (AskChoice("cancel", "No"),), "cancel")

    tool = FakeTool("t")
    async with fake_session(
        call("t"),
        text("ok"),
        people=FakePeople("proceed_once"),
        policy=Menu({"t": Verdict.ASK}),
        tools=[tool],
    ) as run:
        await run.prompt("go")
    assert len(tool.calls) == 1


@pytest.mark.parametrize(
    ("kind", "scope", "mode", "after"),
    [
        ("edit", "session", Mode.DEFAULT, Mode.AUTO_EDIT),
        ("edit", "always", Mode.DEFAULT, Mode.DEFAULT),
        ("execute", "session", Mode.DEFAULT, Mode.DEFAULT),
        ("edit", "session", Mode.PLAN, Mode.PLAN),
    ],
)
async def test_an_always_changes_more_than_it_says(kind, scope, mode, after):
    class Menu(FakePolicy):
        def choices(self, facts):
            return Ask("", "approval", "?", (AskChoice("always", "Always", scope),), "always")

    policy = Menu({"t": Verdict.ASK})
    tool = FakeTool("t", kind=kind)
    async with fake_session(
        call("t"), text("ok"), people=FakePeople("always"), policy=policy, tools=[tool], mode=mode
    ) as run:
        await run.prompt("go")
        assert run.session.view.mode is after
    assert policy.granted == [("t", scope)]


async def test_a_blocked_or_stopped_call_is_judged_all_the_same():
    for outcome in (BeforeToolOutcome(block="no"), BeforeToolOutcome(stop="no")):
        policy = asks()
        async with fake_session(
            call("t"),
            text("ok"),
            hooks=FakeHooks(before_tool=outcome),
            people=FakePeople(present=True),
            policy=policy,
            tools=[FakeTool("t")],
        ) as run:
            await run.prompt("go")
        assert policy.facts == []


async def test_an_unchanged_call_is_said_to_be_changed():
    hooks = FakeHooks(before_tool=BeforeToolOutcome(args={"a": 1}))
    async with fake_session(
        call("t", {"a": 1}), text("ok"), hooks=hooks, tools=[FakeTool("t", "done")]
    ) as run:
        await run.prompt("go")
    assert run.replies == ["done"]


async def test_notes_of_hooks_are_lost_where_the_tool_fails():
    hooks = FakeHooks(
        before_tool=BeforeToolOutcome(args={"a": 2}), after_tool=AfterToolOutcome(context="hm")
    )
    tool = FakeTool("t", failed("broken", "file_not_found"))
    async with fake_session(call("t", {"a": 1}), text("ok"), hooks=hooks, tools=[tool]) as run:
        await run.prompt("go")
    lines = run.replies[0].splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("broken", "<hook_context>hm</hook_context>", 3)
    (finished,) = run.of(ToolFinished)
    assert (finished.error, finished.error_type) == (run.replies[0], "file_not_found")


@pytest.mark.parametrize(
    ("decision", "reply"),
    [
        (Decision(Verdict.DENY, "not here"), "Tool execution denied by policy: not here"),
        (Verdict.DENY, "Tool execution denied by policy."),
    ],
)
async def test_a_denied_call_is_told_in_other_words(decision, reply):
    async with fake_session(
        call("t"), text("ok"), policy=FakePolicy({"t": decision}), tools=[FakeTool("t")]
    ) as run:
        await run.prompt("go")
    assert run.replies == [reply]
    assert run.of(ToolFinished)[0].error_type == "policy_violation"


async def test_an_ask_that_nobody_can_answer_is_no_violation():
    async with fake_session(call("t"), text("ok"), policy=asks(), tools=[FakeTool("t")]) as run:
        await run.prompt("go")
    assert run.of(ToolFinished)[0].error_type == "policy_violation"


async def test_a_name_like_no_other_gets_suggestions():
    async with fake_session(call("x"), text("ok"), tools=[FakeTool("t")]) as run:
        await run.prompt("go")
    assert run.replies == ['Tool "x" not found.']


async def test_a_hidden_result_counts_as_an_accident():
    hooks = FakeHooks(after_tool=AfterToolOutcome(block="contains a secret"))
    async with fake_session(call("t"), text("ok"), hooks=hooks, tools=[FakeTool("t")]) as run:
        await run.prompt("go")
    assert run.of(ToolFinished)[0].error_type == "policy_violation"


async def test_hand_overs_in_a_circle_end_twice():
    tool = FakeTool("t", ToolResult(effects=(TailCalled("t", {}),)))
    async with fake_session(call("t"), text("ok"), tools=[tool]) as run:
        await run.prompt("go")
    assert run.of(ToolChanged)[-1].state is CallState.ERROR
    assert run.of(ToolFinished)[0].error_type == "execution_failed"
    assert len(tool.calls) == 21


async def test_a_persons_own_command_is_not_told_as_accepted():
    async with fake_session(tools=[FakeTool("run_shell_command", kind="execute")]) as run:
        await run.session.send(Shell("ls"))
        await run.until(ToolFinished)
    assert run.of(ToolFinished)[0].decision == "accept"


async def test_the_topic_shares_a_wave_with_its_neighbours():
    topic, other = FakeTool("update_topic", kind="think"), FakeTool("t")
    calls = [call("t", id="1"), call("update_topic", id="2")]
    async with fake_session(calls, text("ok"), tools=[topic, other]) as run:
        await run.prompt("go")
    done = [
        (event.call.name, type(event).__name__)
        for event in run.events
        if isinstance(event, ToolFinished)
        or (isinstance(event, ToolChanged) and event.state is CallState.EXECUTING)
    ]
    assert [name for name, _ in done] == ["update_topic", "update_topic", "t", "t"]


async def test_calls_behind_a_completed_task_run():
    spec = AgentSpec("scout", "d", "i")
    other = FakeTool("other")
    models = FakeModels(
        call("scout", {"prompt": "x"}),
        [call("complete_task", {"result": "r"}, id="2"), call("other", id="3")],
        text("ok"),
    )
    async with fake_session(models=models, tools=[AgentTool(spec), other]) as run:
        assert (await run.prompt("go")).end is End.COMPLETED
    assert other.calls == []
    assert [event.status for event in run.of(ToolFinished)] == ["success", "cancelled", "success"]
    assert "completed by an earlier call" in run.replies[1]
