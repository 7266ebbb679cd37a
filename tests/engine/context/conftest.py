"""A clock that stands still and a session to look at."""

from pathlib import Path

import pytest

from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.session import SessionView


class StillClock:
    """Always the same moment; ids count up."""

    def __init__(self) -> None:
        self.ids = 0

    def now(self) -> str:
        return "2026-11-18T12:00:00.000Z"

    def monotonic(self) -> float:
        return 0.0

    def new_id(self) -> str:
        self.ids += 1
        return f"id-{self.ids}"

    async def sleep(self, seconds: float) -> None:
        return None


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "work"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def view(work: Path) -> SessionView:
    return SessionView("s", str(work), Mode.DEFAULT, "gemini-3-pro", roots=(str(work),))
