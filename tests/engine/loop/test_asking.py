"""Calls that need a yes: who is asked, what an answer changes, what happens without anybody."""

from gemini_cli.protocol.display import EditPreview, FileDiff
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import (
    CallState,
    End,
    ModeChanged,
    ToolChanged,
    ToolFinished,
)
from gemini_cli.protocol.messages import replies_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import CANCEL, Ask
from gemini_cli.protocol.policy import Verdict
from gemini_cli.sdk.testing.fakes import (
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    text,
)


async def test_an_ask_without_people_hangs_or_allows():
    policy = FakePolicy({"t": Verdict.ASK})
    tool = FakeTool("t")
    async with fake_session(call("t"), text("ok"), policy=policy, tools=[tool]) as run:
        await run.prompt("go")
    assert tool.calls == []
    assert run.replies[0].startswith("Tool execution denied by policy: ")
    assert CallState.AWAITING_APPROVAL not in [e.state for e in run.of(ToolChanged)]


async def asking(answers, calls, tools, *, rules=None, **more):
    policy = FakePolicy(rules or {tool.name: Verdict.ASK for tool in tools})
    people = FakePeople(*answers)
    models = FakeModels(calls, text("ok"))
    async with fake_session(
        models=models, policy=policy, people=people, tools=tools, interactive=True, **more
    ) as run:
        ended = await run.prompt("go")
    return run, ended


async def test_an_allowed_ask_does_not_run():
    tool = FakeTool("t")
    run, ended = await asking(["proceed_once"], [call("t")], [tool])
    assert (len(tool.calls), ended.end) == (1, End.COMPLETED)
    assert run.ports.people.asks[0].id == "t__1"
    assert run.of(ToolFinished)[0].decision == "accept"


async def test_always_is_forgotten_or_an_edit_does_not_change_the_mode():
    tool = FakeTool("edit", kind="edit", parallel=False)
    run, _ = await asking(["proceed_always"], [call("edit")], [tool])
    assert run.ports.policy.granted == [("edit", "session")]
    assert run.of(ToolFinished)[0].decision == "auto_accept"
    assert run.of(ModeChanged) == [ModeChanged(Mode.AUTO_EDIT, "approval")]


async def test_declining_one_runs_the_rest_or_skips_the_model():
    tools = [FakeTool("a", parallel=False), FakeTool("b", parallel=False)]
    calls = [call("a", id="1"), call("b", id="2"), call("b", id="3")]
    run, ended = await asking(["proceed_once", CANCEL], calls, tools)
    assert [e.status for e in run.of(ToolFinished)] == ["success", "cancelled", "cancelled"]
    assert [e.decision for e in run.of(ToolFinished)] == ["accept", "reject", None]
    assert ended.end is End.COMPLETED
    assert all(reply.startswith("[Operation Cancelled] Reason: ") for reply in run.replies[1:])


async def test_declining_everything_still_asks_the_model():
    tools = [FakeTool("a"), FakeTool("update_topic", kind="think")]
    calls = [call("update_topic", id="0"), call("a", id="1"), call("a", id="2")]
    rules = {"a": Verdict.ASK}
    run, ended = await asking([CANCEL, CANCEL], calls, tools, rules=rules)
    assert ended.end is End.DECLINED
    assert len(run.ports.models.requests) == 1
    assert len(replies_of(run.history[-1].parts)) == 3


async def test_an_unknown_choice_counts_as_yes():
    tool = FakeTool("t")
    _, ended = await asking(["sudo_yes"], [call("t")], [tool])
    assert (tool.calls, ended.end) == ([], End.DECLINED)


DIFF = EditPreview(FileDiff("/work/f", "f", "@@", "old text", "proposed"))


async def test_edited_text_of_a_new_file_is_dropped():
    tool = FakeTool("write_file", kind="edit", parallel=False, preview=DIFF)
    answer = ("proceed_once", {"newContent": "mine"})
    calls = [call("write_file", {"file_path": "f", "content": "proposed"})]
    run, _ = await asking([answer], calls, [tool])
    assert tool.calls[0]["content"] == "mine"
    assert tool.calls[0]["modified_by_user"] is True
    assert tool.calls[0]["ai_proposed_content"] == "proposed"
    finished = run.of(ToolFinished)[0]
    assert (finished.decision, finished.call.args["content"]) == ("modify", "proposed")


async def test_an_edited_replacement_keeps_its_old_needle_or_is_not_shown_again():
    tool = FakeTool("replace", kind="edit", parallel=False, preview=DIFF)
    answers = [("modify_with_editor", {"newContent": "mine"}), "proceed_once"]
    calls = [call("replace", {"file_path": "f", "old_string": "a", "new_string": "b"})]
    run, _ = await asking(answers, calls, [tool])
    assert len(run.ports.people.asks) == 2
    assert (tool.calls[0]["old_string"], tool.calls[0]["new_string"]) == ("old text", "mine")


async def test_edited_arguments_are_not_checked_again():
    tool = FakeTool("t", required=["path"])
    answer = ("proceed_once", {"args": {"nothing": 1}})
    run, _ = await asking([answer], [call("t", {"path": "x"})], [tool])
    assert tool.calls == []
    assert run.of(ToolFinished)[0].error_type == "invalid_tool_params"


async def test_a_tool_that_asks_does_not_get_its_answer():
    question = Ask("", "question", "Which?", (), "a")
    tool = FakeTool("ask_user", lambda a, c, answer: answer.choice, question=question)
    run, ended = await asking(["cancel"], [call("ask_user")], [tool])
    assert run.replies == ["cancel"]
    assert ended.end is End.COMPLETED


async def test_a_preview_that_fails_breaks_the_turn():
    class Bad(FakeTool):
        def prepare(self, args):
            made = super().prepare(args)

            async def preview(ctx):
                raise ToolProblem("nothing to replace", "edit_no_occurrence_found")

            made.preview = preview
            return made

    run, _ = await asking(["proceed_once"], [call("t")], [Bad("t")])
    assert run.of(ToolFinished)[0].error_type == "edit_no_occurrence_found"
