"""Writes to a stream from a thread of its own, so that a slow reader never holds up the loop.

What is written while the thread is busy goes out in one piece. A reader that went away is
reported once and ends the writing; nothing here raises for it.
"""

import contextlib
import select
import threading
from collections.abc import Callable
from io import FileIO
from typing import BinaryIO


class Out:
    """A stream that accepts bytes at once and delivers them in order."""

    def __init__(
        self, stream: BinaryIO | FileIO, on_broken: Callable[[], None] | None = None
    ) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._waiting: list[bytes] = []
        self._change = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None
        self.failure: OSError | None = None
        """Why no more can be written: the reader went away, or the disk is full."""
        self.at_line_start = True
        """Whether the last byte handed in ended a line."""

    def write(self, data: bytes) -> None:
        """Takes the bytes; returns at once."""
        if not data or self.failure is not None:
            return
        self.at_line_start = data.endswith(b"\n")
        with self._change:
            self._waiting.append(data)
            if self._thread is None:
                self._thread = threading.Thread(target=self._deliver, daemon=True, name="stdout")
                self._thread.start()
            self._change.notify()

    def line(self, data: bytes) -> None:
        """Takes one line without its end."""
        self.write(data + b"\n")

    def close(self, timeout: float | None = None) -> bool:
        """Waits until everything is delivered; False when `timeout` seconds were not enough."""
        with self._change:
            self._closing = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def _deliver(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._closing:
                    self._change.wait()
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                self._push(b"".join(batch))
            except (OSError, ValueError) as error:
                self._give_up(error if isinstance(error, OSError) else OSError(str(error)))
                return

    def _push(self, data: bytes) -> None:
        """All of it, also to a stream that takes a part, or refuses to wait."""
        while data:
            written = self._stream.write(data)
            if written is None:
                select.select([], [self._stream], [])
            data = data[written or 0 :]
        self._stream.flush()

    def _give_up(self, error: OSError) -> None:
        self.failure = error
        if self._on_broken is not None:
            with contextlib.suppress(RuntimeError):
                self._on_broken()
