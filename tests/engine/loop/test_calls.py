"""Tool calls: waves, order, one reply each, the gate, asks, tails, bounds and effects."""

import asyncio

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.codec import encode
from gemini_cli.protocol.display import EditPreview, FileDiff, PlainText
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import (
    CallState,
    End,
    MessageAdded,
    MetaChanged,
    ModeChanged,
    RootsChanged,
    ToolChanged,
    ToolFinished,
    ToolProgress,
)
from gemini_cli.protocol.messages import Blob, Text, replies_of, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import CANCEL, Ask
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
    FakeFiles,
    FakeHooks,
    FakeModels,
    FakePeople,
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


async def test_long_output_floods_the_model_or_is_lost():
    full = "a" * 1000 + "b" * 9000
    files = FakeFiles()
    tool = FakeTool("run_shell_command", ToolResult((Text(full),), truncate=True))
    limits = LoopLimits(truncate_threshold=100)
    calls = call("run_shell_command", id="call10_0")
    async with fake_session(calls, text("ok"), tools=[tool], files=files, limits=limits) as run:
        await run.prompt("go")
    (path,) = files.files
    assert path.name == "run_shell_command__call10_0.txt"
    assert files.files[path] == full.encode()
    (reply,) = run.replies
    assert reply.startswith("Output too large: 10,000 characters") and str(path) in reply
    assert "shown are 100." in reply
    assert reply.endswith(
        "\n\n" + "a" * 20 + "\n\n... [9,900 characters omitted] ...\n\n" + "b" * 80
    )


async def test_output_that_may_not_be_cut_is_cut():
    tool = FakeTool("t", ToolResult((Text("x" * 500),)))
    limits = LoopLimits(truncate_threshold=100)
    async with fake_session(call("t"), text("ok"), tools=[tool], limits=limits) as run:
        await run.prompt("go")
    assert run.replies == ["x" * 500]


@pytest.mark.parametrize(
    ("threshold", "texts", "kept"),
    [
        (0, ["x" * 500], "x" * 500),
        (100, ["x" * 100], "x" * 100),
        (100, ["x" * 500, "y"], "x" * 500 + "\ny"),
        (100, [], ""),
    ],
)
async def test_output_is_cut_where_cutting_is_off_or_needless_or_would_lose_a_part(
    threshold, texts, kept
):
    files = FakeFiles()
    tool = FakeTool("t", ToolResult(tuple(map(Text, texts)), truncate=True))
    limits = LoopLimits(truncate_threshold=threshold)
    async with fake_session(call("t"), text("ok"), tools=[tool], limits=limits, files=files) as run:
        await run.prompt("go")
    assert (run.replies, files.files) == ([kept], {})


async def test_a_failure_with_long_output_counts_as_a_success():
    failure = ToolResult((Text("x" * 500),), error="broken", truncate=True)
    limits = LoopLimits(truncate_threshold=100)
    async with fake_session(
        call("t"), text("ok"), tools=[FakeTool("t", failure)], limits=limits
    ) as run:
        await run.prompt("go")
    assert run.replies == ["broken"]
    assert run.of(ToolFinished)[0].status == "error"


async def test_output_that_cannot_be_saved_fails_the_call():
    class Full(FakeFiles):
        async def write(self, path, data):
            raise ToolProblem("no space left", "no_space_left")

    tool = FakeTool("t", ToolResult((Text("x" * 500),), truncate=True))
    limits = LoopLimits(truncate_threshold=100)
    async with fake_session(
        call("t"), text("ok"), tools=[tool], limits=limits, files=Full()
    ) as run:
        await run.prompt("go")
    assert "could not be kept" in run.replies[0]


async def test_several_texts_and_images_arrive_in_pieces():
    image = Blob("image/png", b"x")
    tool = FakeTool("t", ToolResult((Text("a"), image, Text("b"))))
    only = FakeTool("u", ToolResult((image,)))
    calls = [call("t", id="1"), call("u", id="2")]
    async with fake_session(calls, text("ok"), tools=[tool, only]) as run:
        await run.prompt("go")
    first, second = run.of(ToolFinished)
    assert first.reply.parts == (Text("a\nb"), image)
    assert second.reply.parts == (Text("[1 binary item(s) provided.]"), image)


async def test_sound_goes_into_a_reply_or_vanishes():
    sound = Blob("audio/wav", b"x")
    tools = [FakeTool(name, ToolResult((sound,))) for name in ("read_file", "other")]
    calls = [call("read_file", id="1"), call("other", id="2")]
    async with fake_session(calls, text("ok"), tools=tools) as run:
        await run.prompt("go")
    assert all(not isinstance(p, Blob) for e in run.of(ToolFinished) for p in e.reply.parts)
    assert "follow in the next message" in run.replies[0]
    assert "left out" in run.replies[1]
    added = [e.message for e in run.of(MessageAdded)]
    assert [m.role for m in added] == ["model", "user"]
    assert added[1].parts == (sound,)


async def test_live_output_is_not_shown():
    def work(args, ctx, answer):
        ctx.progress(PlainText("half"))
        ctx.started(42)
        return said("done")

    async with fake_session(call("t"), text("ok"), tools=[FakeTool("t", work)]) as run:
        await run.prompt("go")
    assert run.of(ToolProgress) == [ToolProgress("t__1", PlainText("half"))]
    assert 42 in [event.pid for event in run.of(ToolChanged)]


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


async def test_a_full_disk_goes_unnoticed_without_a_person():
    tool = FakeTool("t", failed("the disk is full", "no_space_left"))
    async with fake_session(call("t"), tools=[tool]) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.problem.exit_code) == (End.FAILED, 54)


async def test_a_server_that_numbers_calls_anew_each_time_confuses_replies():
    script = call("t", {"n": 1}), call("t", {"n": 2}), text("ok")
    async with fake_session(*script, tools=[FakeTool("t", lambda a, c, x: str(a["n"]))]) as run:
        await run.prompt("go")
    assert [e.reply.call_id for e in run.of(ToolFinished)] == ["t__1", "t__1_2"]


async def test_half_characters_keep_events_out_of_the_journal():
    def work(args, ctx, answer):
        ctx.progress(PlainText("half \ud83d"))
        if args["fail"]:
            raise OSError("bad name \udcff")
        return ToolResult((Text("a \udcff b"),), display=PlainText("c \udcff"))

    calls = [call("t", {"fail": False}, id="1"), call("t", {"fail": True}, id="2")]
    async with fake_session(calls, text("ok"), tools=[FakeTool("t", work)]) as run:
        await run.prompt("go \udcff")
    assert run.replies == ["a ? b", "OSError: bad name ?"]
    for envelope in run.envelopes:
        assert encode(envelope)


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
