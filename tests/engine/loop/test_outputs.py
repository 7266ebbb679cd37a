"""What a tool hands back: long, saved, of several parts, live, or half a character."""

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.codec import encode
from gemini_cli.protocol.display import PlainText
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import (
    End,
    MessageAdded,
    ToolChanged,
    ToolFinished,
    ToolProgress,
)
from gemini_cli.protocol.messages import Blob, Text
from gemini_cli.protocol.tools import (
    ToolResult,
    failed,
    said,
)
from gemini_cli.sdk.testing.fakes import (
    FakeFiles,
    FakeTool,
    call,
    fake_session,
    text,
)


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
