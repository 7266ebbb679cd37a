"""The clock of this machine: time of day, durations and fresh ids.

Everything that stamps or names something asks a `Clock`, so that a recorded turn can be
repeated to the letter. It formats nothing for people.
"""

import asyncio
import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """The `Clock` port over the real time."""

    def now(self) -> str:
        """UTC, ISO-8601 with milliseconds and `Z`."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def monotonic(self) -> float:
        """Seconds, for durations."""
        return time.monotonic()

    def new_id(self) -> str:
        """A fresh unique id."""
        return str(uuid.uuid4())

    async def sleep(self, seconds: float) -> None:
        """Waits; cancelling the task ends the wait."""
        await asyncio.sleep(seconds)
