"""Takes terminal escape sequences out of a text that arrives in pieces.

A sequence may be cut by the end of a piece; the filter keeps such a tail until it knows.
"""

import re

_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"
    r"|\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)"
    r"|[ -/]*[0-OQ-WYZ\\`-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f]|\r(?!\n)")
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
        if "\x1b" not in text and "\x9b" not in text:
            return _CONTROL.sub("", text)
        text = _SEQUENCE.sub("", text)
        start = max(text.find("\x1b"), text.find("\x9b"))
        first = min((i for i in (text.find("\x1b"), text.find("\x9b")) if i >= 0), default=-1)
        if start >= 0 and len(text) - first <= _HELD:
            self._tail = text[first:] + self._tail
            text = text[:first]
        return _CONTROL.sub("", text.replace("\x1b", "").replace("\x9b", ""))

    def end(self) -> str:
        """What is left when no more comes: nothing of an unfinished sequence."""
        tail, self._tail = self._tail, ""
        return "" if tail[:1] in ("\x1b", "\x9b") else _CONTROL.sub("", tail)


def without_escapes(text: str) -> str:
    """A whole text that cannot move a cursor, set a title or ring a bell."""
    clean = EscapeFilter()
    return clean.feed(text) + clean.end()
