"""Our tools keep the promises of the port, and the suite notices those that do not."""

import asyncio
import os
from pathlib import Path

import pytest

from gemini_cli.engine.tools import ReadFile, Replace, Shell
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import ToolContext
from gemini_cli.sdk.testing.fakes import FakeModels, FakeTool
from gemini_cli.sdk.testing.suites import TOOL_CHECKS, ToolStage
from gemini_cli.sdk.testing.suites.tool import (
    declares_itself_the_same_way_each_time,
    names_the_argument_that_is_missing,
    refuses_odd_arguments_in_one_way,
    says_truly_what_kind_it_is,
    shows_one_line_of_what_it_would_do,
    stops_when_it_is_cancelled,
)

TOOLS = {
    "read_file": (ReadFile, {"file_path": "notes.txt"}),
    "replace": (
        Replace,
        {
            "file_path": "notes.txt",
            "instruction": "Name the right fruit.",
            "old_string": "plum",
            "new_string": "pear",
        },
    ),
    "run_shell_command": (Shell, {"command": "echo plum"}),
    "fake": (lambda: FakeTool("fake", required=["word"]), {"word": "plum"}),
}


@pytest.fixture
def context(tmp_path: Path):
    root = Path(os.path.realpath(tmp_path)) / "work"
    root.mkdir()

    def made() -> ToolContext:
        (root / "notes.txt").write_text("a plum\n")
        return ToolContext(
            call_id="tool__1",
            session_id="s",
            view=SessionView("s", str(root), Mode.DEFAULT, "m"),
            files=LocalFiles(),
            processes=LocalProcesses(),
            workspace=LocalWorkspace(root, Special(root.parent / "temp")),
            models=FakeModels(),
            clock=SystemClock(),
            scratch=root.parent / "temp" / "s",
            progress=lambda display: None,
            started=lambda pid: None,
            env={"PATH": os.defpath},
        )

    return made


@pytest.mark.parametrize("check", TOOL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", TOOLS)
async def test_tools(name: str, check, context):
    make, args = TOOLS[name]
    await check(ToolStage(make(), args, context))


class Broken(FakeTool):
    """Wrong in every way at once; each check sees its own."""

    def __init__(self):
        super().__init__("broken", kind="edit", required=["word"], parallel=True, read_only=True)
        self._times = 0

    def declaration(self, family):
        self._times += 1
        return {**super().declaration(family), "description": f"declared {self._times} times"}

    def prepare(self, args):
        if "word" not in args:
            raise InvalidArgs("something is missing")
        if not isinstance(args["word"], str):
            raise TypeError("not what I wanted")
        made = super().prepare(args)
        made.title = "two\nlines"
        return made

    async def work(self, args, ctx, answer):
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            raise RuntimeError("I was in the middle of something") from None


@pytest.mark.parametrize(
    "check",
    [
        declares_itself_the_same_way_each_time,
        names_the_argument_that_is_missing,
        refuses_odd_arguments_in_one_way,
        says_truly_what_kind_it_is,
        shows_one_line_of_what_it_would_do,
        stops_when_it_is_cancelled,
    ],
)
async def test_a_broken_tool_is_noticed(check, context):
    with pytest.raises(AssertionError):
        await check(ToolStage(Broken(), {"word": "plum"}, context))
