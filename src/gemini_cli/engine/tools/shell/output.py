"""Holds what a command writes: a bounded tail, plain text for models, live text for people.

It notices binary output and then only counts. It never interprets what it holds.
"""

import re
from collections import deque

from gemini_cli.protocol.display import Display, PlainText, Terminal

MAX_BYTES = 16 * 1024 * 1024
SNIFFED_BYTES = 512
LIVE_CHARS = 100_000
FINAL_CHARS = 1_000_000
ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # device strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b(?:[ -/]*[0-~])?"
)


class Output:
    """The last 16 MiB of a command's output."""

    def __init__(self, limit: int = MAX_BYTES) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._head = b""
        self.total = 0

    def add(self, data: bytes) -> None:
        """Takes a chunk; the oldest ones go when there are too many."""
        if len(self._head) < SNIFFED_BYTES:
            self._head += data[: SNIFFED_BYTES - len(self._head)]
        self.total += len(data)
        if self.binary:
            self._chunks.clear()
            self._held = 0
            return
        self._chunks.append(data)
        self._held += len(data)
        while self._held > self._limit and len(self._chunks) > 1:
            self._held -= len(self._chunks.popleft())

    @property
    def binary(self) -> bool:
        """Whether the beginning holds a NUL, so that none of it is text."""
        return b"\0" in self._head

    def plain(self) -> str:
        """The text without escape sequences; "" for binary output."""
        if self.binary:
            return ""
        text = stripped(self._tail(self._limit)).strip()
        if self.total <= self._limit:
            return text
        return f"[Only the last {self._limit >> 20} MiB of the output were kept.]\n{text}"

    def live(self) -> Display:
        """What a person sees while it runs."""
        if self.binary:
            return PlainText(f"Receiving binary output: {_size(self.total)} so far")
        return Terminal(self._tail(LIVE_CHARS * 4)[-LIVE_CHARS:])

    def final(self, exit_code: int | None) -> Display | None:
        """What a person sees in the end; None where there is nothing."""
        if self.binary:
            return PlainText(f"Binary output: {_size(self.total)}")
        text = self._tail(FINAL_CHARS * 4)[-FINAL_CHARS:].strip()
        return Terminal(text, exit_code) if text else None

    def _tail(self, most: int) -> str:
        parts: list[bytes] = []
        wanted = most
        for chunk in reversed(self._chunks):
            if wanted <= 0:
                break
            parts.append(chunk[-wanted:])
            wanted -= len(chunk)
        return b"".join(reversed(parts)).decode("utf-8", "replace")


def stripped(text: str) -> str:
    """Text without escape sequences, and with `\\n` as its only line end."""
    return ESCAPES.sub("", text).replace("\r\n", "\n")


def _size(count: int) -> str:
    return f"{count} bytes" if count < 10_000 else f"{count / 1000:.0f} kB"
