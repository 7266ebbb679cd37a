"""Reads a prompt that is piped in, while the rest of the program starts.

It waits half a second for the first byte and then to the end, takes at most 8 MiB, and cuts
only between characters. It never touches a terminal.
"""

import os
import select
import threading
from collections.abc import Callable

LIMIT = 8 * 1024 * 1024
FIRST_BYTE = 0.5


class PipedInput:
    """Standard input, read in the background from the moment this is made."""

    def __init__(self, fd: int, *, limit: int = LIMIT, first_byte: float = FIRST_BYTE) -> None:
        self._fd = fd
        self._limit = limit
        self._first_byte = first_byte
        self._data = bytearray()
        self.cut = False
        """There was more than the limit."""
        self._thread = threading.Thread(target=self._read, daemon=True, name="stdin")
        self._thread.start()

    def text(self, check: Callable[[], None] = lambda: None) -> str:
        """All of it, once it has ended. `check` is asked meanwhile and may raise."""
        while self._thread.is_alive():
            check()
            self._thread.join(0.05)
        return bytes(self._data).decode("utf-8", errors="replace")

    def _read(self) -> None:
        try:
            if os.name == "posix" and not select.select([self._fd], [], [], self._first_byte)[0]:
                return
            while chunk := os.read(self._fd, 65536):
                self._data += chunk
                if len(self._data) > self._limit:
                    self.cut = True
                    del self._data[_boundary(self._data, self._limit) :]
                    return
        except OSError:
            return


def _boundary(data: bytearray, limit: int) -> int:
    """The last end of a whole UTF-8 character at or before `limit`."""
    at = limit
    while at > 0 and limit - at < 4 and data[at] & 0xC0 == 0x80:
        at -= 1
    return at
