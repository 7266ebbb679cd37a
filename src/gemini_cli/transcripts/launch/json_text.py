"""Finds the JSON value in what a model said: bare, in a fence, or somewhere in the prose.

A falsy value (`0`, `false`, `""`, `null`) is a value like any other, which is why `find_json`
says separately whether anything was found. It repairs nothing: what does not parse is no JSON.
"""

import json
import re
from typing import Literal, NamedTuple

from gemini_cli.protocol.jsonvalue import JsonValue

Prefer = Literal["first", "last"]

_FENCE = re.compile(r"```[ \t]*(?:json[c5]?)?[ \t]*\r?\n(.*?)```", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder()
_OPENING = re.compile(r"[{\[]")
_SCAN_LIMIT = 2_000


class Found(NamedTuple):
    """`value` means something only when `found` is true."""

    found: bool
    value: JsonValue = None


_NOTHING = Found(False)


def extract_json(text: object, *, prefer: Prefer = "first") -> JsonValue:
    """The JSON value in `text`, or None when there is none (or when it is `null`)."""
    return find_json(text, prefer=prefer).value


def find_json(text: object, *, prefer: Prefer = "first") -> Found:
    """As `extract_json`, but tells `null` and nothing apart.

    Order: the whole text, fenced blocks, the widest braces or brackets, then single values
    one by one. With `prefer="last"` the last fenced block or the last object wins.
    """
    if not isinstance(text, str) or not text.strip():
        return _NOTHING
    whole = _parse(text.strip())
    if whole.found:
        return whole
    fences = [body.strip() for body in _FENCE.findall(text)]
    if prefer == "last":
        fences.reverse()
    for body in fences:
        fenced = _parse(body)
        if fenced.found:
            return fenced
    if prefer == "first":
        widest = _widest(text)
        if widest.found:
            return widest
    return _scan(text, prefer)


def _parse(text: str) -> Found:
    try:
        return Found(True, json.loads(text))
    except (ValueError, RecursionError):
        return _NOTHING


def _widest(text: str) -> Found:
    spans: list[tuple[int, int]] = []
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            spans.append((start, end + 1))
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        found = _parse(text[start:end])
        if found.found:
            return found
    return _NOTHING


def _scan(text: str, prefer: Prefer) -> Found:
    """Tries each opening bracket that is not inside a value already found."""
    best = _NOTHING
    position, tries = 0, 0
    while tries < _SCAN_LIMIT:
        position = _next_opening(text, position)
        if position < 0:
            break
        tries += 1
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        best = Found(True, value)
        if prefer == "first":
            break
        position = end
    return best


def _next_opening(text: str, start: int) -> int:
    match = _OPENING.search(text, start)
    return match.start() if match else -1
