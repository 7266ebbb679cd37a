"""The machine's time and randomness, as the `Clock` port.

Ids are random version-4 UUIDs; times are UTC with milliseconds, as every file of ours has them.
"""

import asyncio
import os
import time


class SystemClock:
    """The `Clock` of a real run."""

    def now(self) -> str:
        """UTC, ISO-8601 with milliseconds and `Z`."""
        moment = time.time_ns() // 1_000_000
        seconds, millis = divmod(moment, 1000)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03d}Z"

    def monotonic(self) -> float:
        """Seconds, for durations."""
        return time.monotonic()

    def new_id(self) -> str:
        """A random UUID."""
        raw = bytearray(os.urandom(16))
        raw[6] = (raw[6] & 0x0F) | 0x40
        raw[8] = (raw[8] & 0x3F) | 0x80
        text = raw.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    async def sleep(self, seconds: float) -> None:
        """Waits; cancelling the task ends the wait."""
        await asyncio.sleep(seconds)
