"""Finds the text to replace: exactly, by lines, by tokens, and as a last resort by likeness.

Strategies are tried in this order and the first that finds anything wins. All texts have
`\\n` line ends. Nothing here touches a file.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from gemini_cli.engine.tools.edit.fuzzy import similar_windows

Strategy = Literal["none", "exact", "flexible", "regex", "fuzzy"]
INDENT = re.compile(r"[ \t]*")
DELIMITERS = re.compile(r"([():\[\]{}><=])")
MIN_FUZZY_CHARS = 10
MAX_FUZZY_WORK = 400_000_000
MAX_REGEX_WORK = 1_000_000_000


class Replaced(msgspec.Struct, frozen=True):
    """The new text and how it came about. `ranges` are matched lines, for a fuzzy match."""

    text: str
    count: int
    strategy: Strategy
    ranges: tuple[tuple[int, int], ...] = ()


def replace(text: str, old: str, new: str, *, multiple: bool = False) -> Replaced:
    """`text` with `old` replaced by `new`. With a count other than wanted, nothing is sure."""
    found = _exact(text, old, new, multiple)
    if found is None and old.strip():
        found = _flexible(text, old, new) or _regex(text, old, new) or _fuzzy(text, old, new)
    if found is None:
        return Replaced(text, 0, "none")
    return msgspec.structs.replace(found, text=with_final_newline_of(text, found.text))


def with_final_newline_of(before: str, after: str) -> str:
    """`after` with or without a final newline, as `before` had it; an emptied file stays empty."""
    if not after or not before or before.endswith("\n") == after.endswith("\n"):
        return after
    return after + "\n" if before.endswith("\n") else after.removesuffix("\n")


def indented(lines: Sequence[str], indent: str) -> list[str]:
    """The lines moved so that the first one has this indent; blank lines become empty."""
    first = _indent_of(lines[0]) if lines else ""
    moved = []
    for line in lines:
        if not line.strip():
            moved.append("")
        elif line.startswith(first):
            moved.append(indent + line[len(first) :])
        else:
            moved.append(indent + line.lstrip(" \t"))
    return moved


def _exact(text: str, old: str, new: str, multiple: bool) -> Replaced | None:
    count = text.count(old)
    if count == 0:
        return None
    if count > 1 and not multiple:
        return Replaced(text, count, "exact")
    return Replaced(text.replace(old, new), count, "exact")


def _flexible(text: str, old: str, new: str) -> Replaced | None:
    """Whole lines that are the same once both sides are stripped."""
    wanted = [line.strip() for line in _lines(old)]
    lines = _kept(text)
    starts = equal_windows([line.strip() for line in lines], wanted)
    result: list[str] = []
    at = 0
    for start in starts:
        result += lines[at:start]
        at = start + len(wanted)
        block = "\n".join(indented(new.split("\n"), _indent_of(lines[start])))
        ended = not block or block.endswith("\n") or not lines[at - 1].endswith("\n")
        result.append(block if ended else block + "\n")
    result += lines[at:]
    return Replaced("".join(result), len(starts), "flexible") if starts else None


def equal_windows(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where these lines stand among the others, without overlaps, in linear time."""
    where, what = "\n".join(["", *lines, ""]), "\n".join(["", *wanted, ""])
    found: list[int] = []
    line = at = 0
    while (hit := where.find(what, at)) >= 0:
        line += where.count("\n", at, hit)
        found.append(line)
        line += len(wanted)
        at = hit + len(what) - 1
    return found


def _regex(text: str, old: str, new: str) -> Replaced | None:
    """The same tokens with any white space between them, from the start of a line."""
    tokens = DELIMITERS.sub(r" \1 ", old).split()
    # A search cannot be interrupted, so one that may take minutes is not begun.
    if not tokens or len(text) * len(tokens) > MAX_REGEX_WORK:
        return None
    if "".join(tokens) not in "".join(text.split()):
        return None
    pattern = re.compile(r"^([ \t]*+)" + r"\s*+".join(map(re.escape, tokens)), re.MULTILINE)
    lines = new.split("\n")
    result, count = pattern.subn(lambda match: "\n".join(indented(lines, match[1])), text)
    return Replaced(result, count, "regex") if count else None


def _fuzzy(text: str, old: str, new: str) -> Replaced | None:
    """The windows of lines that are most like the text looked for."""
    lines = _lines(text)
    if len(old) < MIN_FUZZY_CHARS or len(lines) * len(old) ** 2 > MAX_FUZZY_WORK:
        return None
    wanted = [line.rstrip() for line in _lines(old)]
    starts = similar_windows([line.rstrip() for line in lines], wanted)
    if not starts:
        return None
    result = list(lines)
    for start in sorted(starts, reverse=True):
        block = indented(_block(old, new), _indent_of(lines[start]))
        result[start : start + len(wanted)] = block
    ranges = tuple((start + 1, start + len(wanted)) for start in sorted(starts))
    return Replaced(_joined(result, text), len(starts), "fuzzy", ranges)


def _kept(text: str) -> list[str]:
    """Lines with their ends; only `\\n` ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _lines(text: str) -> list[str]:
    """Lines without their ends; a final newline does not make another line."""
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _block(old: str, new: str) -> list[str]:
    """The lines that take the place of the window; none when whole lines are to vanish."""
    if not old.endswith("\n"):
        return new.split("\n")
    return _lines(new) if new else []


def _joined(lines: list[str], before: str) -> str:
    return "\n".join(lines) + ("\n" if lines and before.endswith("\n") else "")


def _indent_of(line: str) -> str:
    match = INDENT.match(line)
    return match[0] if match else ""
