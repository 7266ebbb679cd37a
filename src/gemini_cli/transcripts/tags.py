"""Passages between `<name>` and `</name>` that products write into what people typed.

One walk over the text, whatever is in it: a thousand openings that nothing closes cost no more
than one. It is no parser of markup, and an opening without its end is ordinary text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Tagged(NamedTuple):
    """One passage; `start` and `end` take in the two tags."""

    name: str
    inner: str
    start: int
    end: int


def tagged(text: str, *names: str) -> Iterator[Tagged]:
    """The passages of the given names, from left to right; none lies within another."""
    unclosed: set[str] = set()
    end = 0
    for opening in re.finditer(f"<({'|'.join(names)})>", text):
        name = opening[1]
        if opening.start() < end or name in unclosed:
            continue
        close = text.find(f"</{name}>", opening.end())
        if close < 0:
            unclosed.add(name)
            continue
        end = close + len(name) + 3
        yield Tagged(name, text[opening.end() : close], opening.start(), end)


def without_tagged(text: str, *names: str, filler: str = "") -> str:
    """The text with a filler in the place of each passage."""
    kept: list[str] = []
    end = 0
    for found in tagged(text, *names):
        kept.append(text[end : found.start])
        end = found.end
    return filler.join([*kept, text[end:]])
