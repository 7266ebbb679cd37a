"""Takes terminal escape sequences out of a text that arrives in pieces.

A sequence may be cut by the end of a piece; the filter keeps such a tail until it knows. What
turns the reading direction round goes too: it could show a command other than it is.
"""

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)
_BEGINS = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
_HELD = 4096
"""An unfinished sequence longer than this is text by somebody who means no sequence."""


class EscapeFilter:
    """Gives back what may be printed of each piece."""

    def __init__(self) -> None:
        self._tail = ""

    def feed(self, text: str) -> str:
        """The printable part of what is known so far."""
        text = self._tail + text
        self._tail = ""
        if text.endswith("\r"):
            text, self._tail = text[:-1], "\r"
        if _BEGINS.search(text) is None:
            return _CONTROL.sub("", text)
        text = _SEQUENCE.sub("", text)
        # No sequence goes on in another line, so words behind a stray beginning are not lost.
        begun = _BEGINS.search(text, text.rfind("\n") + 1)
        if begun is not None and len(text) - begun.start() <= _HELD:
            self._tail = text[begun.start() :] + self._tail
            text = text[: begun.start()]
        return _CONTROL.sub("", text)

    def end(self) -> str:
        """What is left when no more comes: nothing of an unfinished sequence."""
        tail, self._tail = self._tail, ""
        return "" if _BEGINS.match(tail) else _CONTROL.sub("", tail)


def without_escapes(text: str) -> str:
    """A whole text that cannot move a cursor, set a title or ring a bell."""
    clean = EscapeFilter()
    return clean.feed(text) + clean.end()
