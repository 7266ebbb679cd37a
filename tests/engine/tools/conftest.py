"""A real workspace in a temp folder, with real files and processes."""

import asyncio
import itertools
import os
import time
from pathlib import Path

import pytest

from gemini_cli.ground.host.files import LocalFiles
from gemini_cli.ground.host.workspace import LocalWorkspace, Special
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import ToolContext


class RealClock:
    def __init__(self):
        self._ids = itertools.count(1)

    def now(self):
        return "2026-01-01T00:00:00.000Z"

    def monotonic(self):
        return time.monotonic()

    def new_id(self):
        return f"id-{next(self._ids)}"

    async def sleep(self, seconds):
        await asyncio.sleep(seconds)


class NoModels:
    """Tools that ask a model would fail here."""


class NoProcesses:
    async def start(self, argv, **_):
        raise AssertionError(f"nothing should start {argv}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def shown() -> list:
    """What a person saw while a tool ran."""
    return []


@pytest.fixture
def make_context(root: Path, shown: list):
    def make(mode: Mode = Mode.DEFAULT, processes=None, env=None) -> ToolContext:
        temp = root.parent / "temp"
        temp.mkdir(exist_ok=True)
        return ToolContext(
            call_id="tool__1",
            session_id="s1",
            view=SessionView("s1", str(root), mode, "m"),
            files=LocalFiles(),
            processes=processes or NoProcesses(),
            workspace=LocalWorkspace(root, Special(temp)),
            models=NoModels(),
            clock=RealClock(),
            scratch=temp / "s1",
            progress=shown.append,
            started=lambda pid: None,
            env=env or {},
        )

    return make


@pytest.fixture
def ctx(make_context) -> ToolContext:
    return make_context()
