"""Parses server-sent events from bytes that may be cut anywhere.

It knows all line endings, comments, multi-line data and the byte order mark, and leaves
the meaning of the data to its caller. It refuses to buffer more than a set size.
"""

import msgspec

from gemini_cli.ground.net.problem import HttpProblem

MAX_EVENT_BYTES = 64 * 1024 * 1024
_MOST_STRAY_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"
_NO_STRAYS = (b"", b"id", b"retry")
"""Comments, and fields with a value that is to be passed over."""


class SseEvent(msgspec.Struct, frozen=True):
    """One event. `data` stays bytes: whoever decodes it as JSON need not decode it twice."""

    data: bytes
    event: str = "message"
    id: str = ""
    retry: int | None = None


class SseParser:
    """Feed it bytes, get events. One parser per stream.

    `stray` keeps the beginning of what is no field of an event: some services write an error
    into their stream as bare JSON.
    """

    __slots__ = (
        "_data",
        "_event",
        "_id",
        "_limit",
        "_retry",
        "_size",
        "_skip_lf",
        "_started",
        "_tail",
        "stray",
    )

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._tail = bytearray()
        self._size = 0
        self._skip_lf = False
        self._started = False
        self._data: list[bytes] = []
        self._event = ""
        self._id = ""
        self._retry: int | None = None
        self.stray = bytearray()

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events this chunk completes."""
        if self._skip_lf and chunk:
            self._skip_lf = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        if not chunk:
            return []
        if b"\n" not in chunk and b"\r" not in chunk:
            self._keep(chunk)
            return []
        return self._lines(chunk)

    def finish(self) -> list[SseEvent]:
        """The event left over when the stream ends without its closing blank line."""
        events: list[SseEvent] = []
        self._line(self._take_tail(), events)
        self._line(b"", events)
        return events

    def _lines(self, chunk: bytes) -> list[SseEvent]:
        events: list[SseEvent] = []
        lines = chunk.splitlines()
        last = chunk[-1:]
        rest = b"" if last in b"\r\n" else lines.pop()
        self._skip_lf = last == b"\r"
        if self._tail:
            lines[0] = self._take_tail() + lines[0]
        for line in lines:
            self._line(line, events)
        if rest:
            self._keep(rest)
        return events

    def _line(self, line: bytes, events: list[SseEvent]) -> None:
        if not self._started:
            self._started = True
            line = line.removeprefix(_BOM)
        if line:
            self._field(line)
            return
        self._size = 0
        if self._data:
            data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
            events.append(SseEvent(data, self._event or "message", self._id, self._retry))
        self._data = []
        self._event = ""
        self._retry = None

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if name == b"data":
            self._size += len(value) + 1
            self._data.append(value)
            self._check()
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self._retry = int(value[:9])
        elif name not in _NO_STRAYS:
            self.stray += line[: _MOST_STRAY_BYTES - len(self.stray)]

    def _keep(self, piece: bytes) -> None:
        self._tail += piece
        self._check()

    def _take_tail(self) -> bytes:
        line = bytes(self._tail)
        self._tail.clear()
        return line

    def _check(self) -> None:
        if self._size + len(self._tail) > self._limit:
            raise HttpProblem(
                f"The server sent one event of more than {self._limit} bytes.", "too_large"
            )
