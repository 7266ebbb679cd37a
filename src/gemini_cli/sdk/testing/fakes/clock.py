"""A clock whose time passes only when somebody sleeps, with counted ids.

Two runs of the same script give the same times and ids.
"""

import asyncio
from datetime import UTC, datetime, timedelta

_START = datetime(2030, 1, 1, tzinfo=UTC)


class FakeClock:
    """Implements `Clock`. `slept` lists all waits."""

    def __init__(self) -> None:
        self._passed = 0.0
        self._ids = 0
        self.slept: list[float] = []

    def now(self) -> str:
        """The beginning of 2030 and the time slept since."""
        at = _START + timedelta(seconds=self._passed)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def monotonic(self) -> float:
        """The time slept."""
        return self._passed

    def new_id(self) -> str:
        """`id-1`, `id-2`, ..."""
        self._ids += 1
        return f"id-{self._ids}"

    def pass_by(self, seconds: float) -> None:
        """Lets time pass without anybody waiting."""
        self._passed += seconds

    async def sleep(self, seconds: float) -> None:
        """Passes at once; other tasks get a turn, and a cancellation is noticed."""
        self.slept.append(seconds)
        await asyncio.sleep(0)
        self._passed += seconds
