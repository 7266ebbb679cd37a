"""Turns the raw bytes of a child's output into lines and text without ever losing a byte order.

A chunk may end inside a character or inside a line of many megabytes; both are put together
again here. It does not know JSON, and a line over the cap is dropped and counted, not cut.
"""

import codecs

LINE_CAP = 64 * 1024 * 1024
TAIL_CAP = 64 * 1024


class LineBuffer:
    """Collects chunks and hands out whole lines, decoded as UTF-8 with replacement."""

    def __init__(self, cap: int = LINE_CAP) -> None:
        self._cap = cap
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False
        self.dropped = 0

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that this chunk completes, without their line ends."""
        if b"\n" not in chunk:
            self._hold(chunk)
            return []
        *whole, rest = chunk.split(b"\n")
        lines: list[str] = []
        for piece in whole:
            self._hold(piece)
            line = self._take()
            if line is not None:
                lines.append(line)
        self._hold(rest)
        return lines

    def flush(self) -> str | None:
        """The last line, which had no line end; None when there is nothing left."""
        return self._take() if self._parts or self._skipping else None

    def _hold(self, piece: bytes) -> None:
        if self._skipping or not piece:
            return
        if self._size + len(piece) > self._cap:
            self._parts.clear()
            self._size = 0
            self._skipping = True
            return
        self._parts.append(piece)
        self._size += len(piece)

    def _take(self) -> str | None:
        if self._skipping:
            self._skipping = False
            self.dropped += 1
            return None
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return line.removesuffix(b"\r").decode("utf-8", "replace")


class Tail:
    """Decodes a stream as it comes and remembers its last part, for error messages."""

    def __init__(self, cap: int = TAIL_CAP) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._cap = cap
        self._text = ""
        self.truncated = False

    def feed(self, chunk: bytes, final: bool = False) -> str:
        """The text of this chunk; a character that is cut in two comes with the next one."""
        text = self._decoder.decode(chunk, final)
        kept = self._text + text
        if len(kept) > self._cap:
            self.truncated = True
            kept = kept[-self._cap :]
        self._text = kept
        return text

    @property
    def text(self) -> str:
        """What is remembered."""
        return self._text
