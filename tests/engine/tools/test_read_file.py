"""read_file gives the model what is in the file, says what it left out, and hangs on nothing."""

import os
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot

from gemini_cli.engine.tools import ReadFile
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem
from gemini_cli.protocol.messages import Blob, Text


async def read(ctx, **args):
    return await ReadFile().prepare(args).run(ctx)


async def text(ctx, **args) -> str:
    (part,) = (await read(ctx, **args)).for_model
    assert isinstance(part, Text)
    return part.text


async def test_a_small_file_comes_whole_and_without_numbers(ctx, root: Path):
    (root / "a.txt").write_bytes(b"one\r\ntwo\nthree\n")
    result = await read(ctx, file_path="a.txt")
    assert result.for_model == (Text("one\ntwo\nthree\n"),)
    assert result.display is None


async def test_a_window_is_announced_with_the_way_to_go_on(ctx, root: Path):
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 2501)))
    assert (await text(ctx, file_path="a.txt", start_line=3, end_line=4)) == snapshot("""\
Only a part of this file is shown below.
Status: Showing lines 3-4 of 2501 total lines.
To go on reading, call read_file with start_line: 5.

--- FILE CONTENT (truncated) ---
line 3
line 4\
""")


async def test_a_long_file_stops_after_two_thousand_lines_unless_an_end_is_given(ctx, root: Path):
    (root / "a.txt").write_text("x\n" * 2500)
    assert "Showing lines 1-2000 of 2501" in await text(ctx, file_path="a.txt")
    assert "Showing lines 10-2009 of 2501" in await text(ctx, file_path="a.txt", start_line=10)
    assert "Showing lines 2-2500 of 2501" in await text(
        ctx, file_path="a.txt", start_line=2, end_line=2500
    )


async def test_a_long_line_is_cut_and_said_to_be(ctx, root: Path):
    (root / "a.txt").write_text("x" * 2001)
    shown = await text(ctx, file_path="a.txt")
    assert shown.endswith("x" * 10 + "... [truncated]")
    assert "are cut" in shown and "x" * 2001 not in shown


async def test_a_start_behind_the_end_is_said_plainly(ctx, root: Path):
    (root / "a.txt").write_text("one\ntwo")
    shown = await text(ctx, file_path="a.txt", start_line=3)
    assert "has 2 lines" in shown and "nothing at line 3" in shown


async def test_the_old_names_of_arguments_still_work(ctx, root: Path):
    (root / "a.txt").write_text("1\n2\n3\n4\n")
    for path in ({"absolute_path": str(root / "a.txt")}, {"path": "a.txt"}):
        shown = await text(ctx, **path, offset=1, limit=2)
        assert shown.endswith("\n2\n3")
        assert "lines 2-3 of 5" in shown


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "params must have required property 'file_path'"),
        ({"file_path": 3}, "params/file_path must be string"),
        ({"file_path": "a", "start_line": 0}, "params/start_line must be >= 1"),
        ({"file_path": "a", "start_line": "1"}, "params/start_line must be integer"),
        ({"file_path": "a", "start_line": True}, "params/start_line must be integer"),
        (
            {"file_path": "a", "start_line": 3, "end_line": 2},
            "params/end_line must be >= start_line (3)",
        ),
        ([], "params must be object"),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(InvalidArgs) as caught:
        ReadFile().prepare(args)
    assert str(caught.value) == message


async def test_a_null_counts_as_left_out(ctx, root: Path):
    (root / "a.txt").write_text("one")
    assert await text(ctx, file_path="a.txt", start_line=None, end_line=2.0) == "one"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
async def test_a_byte_order_mark_decides_the_encoding(ctx, root: Path, encoding: str):
    (root / "a.txt").write_bytes("grüß\n".encode(encoding))
    assert await text(ctx, file_path="a.txt") == "grüß\n"


async def test_pictures_and_documents_come_as_data(ctx, root: Path):
    for name, mime in [("a.png", "image/png"), ("b.pdf", "application/pdf")]:
        (root / name).write_bytes(b"\0\1data")
        result = await read(ctx, file_path=name)
        assert result.for_model == (Blob(mime, b"\0\1data"),)


async def test_a_video_ending_on_text_is_read_as_text(ctx, root: Path):
    (root / "app.ts").write_text("let x = 1")
    assert await text(ctx, file_path="app.ts") == "let x = 1"


async def test_a_program_is_named_but_not_shown(ctx, root: Path):
    (root / "a.bin").write_bytes(b"\0\1\2")
    assert "binary file" in await text(ctx, file_path="a.bin")


async def problem(ctx, path: str) -> str:
    with pytest.raises(ToolProblem) as caught:
        await read(ctx, file_path=path)
    return caught.value.kind


async def test_what_cannot_be_read_is_told_apart(ctx, root: Path):
    (root / "folder").mkdir()
    (root / "song.m4a").write_bytes(b"\0\1")
    with (root / "huge.txt").open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    assert await problem(ctx, "nothing.txt") == "file_not_found"
    assert await problem(ctx, "folder") == "target_is_directory"
    assert await problem(ctx, "song.m4a") == "read_content_failure"
    assert await problem(ctx, "huge.txt") == "file_too_large"


async def test_a_pipe_does_not_hang_the_turn(ctx, root: Path):
    os.mkfifo(root / "pipe")
    assert await problem(ctx, "pipe") == "read_content_failure"


async def test_nothing_outside_the_workspace_is_read(ctx, root: Path):
    (root / ".env").write_text("SECRET=1")
    (root / "link").symlink_to("/etc/passwd")
    for path in ("/etc/passwd", "../../etc/passwd", "link", ".env"):
        assert await problem(ctx, path) == "path_not_in_workspace"


async def test_an_ignored_file_names_its_ignore_file(ctx, root: Path):
    (root / "a.log").write_text("x")
    tool = ReadFile(lambda path: ".geminiignore" if path.suffix == ".log" else None)
    with pytest.raises(InvalidArgs, match=r"a\.log is hidden by \.geminiignore"):
        await tool.prepare({"file_path": "a.log"}).run(ctx)


async def test_a_line_of_just_the_allowed_length_is_cut(ctx, root: Path):
    (root / "a.txt").write_text("x" * 2000)
    assert await text(ctx, file_path="a.txt") == "x" * 2000


async def test_a_file_that_grows_while_it_is_read_comes_cut_off(ctx, root: Path):
    class Growing(LocalFiles):
        async def stat(self, path):
            return msgspec.structs.replace(await super().stat(path), size=10)

    (root / "a.txt").write_bytes(b"x" * (20 * 1024 * 1024 + 1))
    with pytest.raises(ToolProblem) as caught:
        await read(msgspec.structs.replace(ctx, files=Growing()), file_path="a.txt")
    assert caught.value.kind == "file_too_large"
