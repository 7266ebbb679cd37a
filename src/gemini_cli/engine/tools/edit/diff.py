"""What changed between two texts: a patch, its size, and an excerpt of the new text.

Texts have `\\n` line ends. Common beginnings and ends are set aside first, so a small change
in a long file is cheap.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from gemini_cli.protocol.display import DiffStat

CONTEXT = 3
EXCERPT_CONTEXT = 5
MOST_COMPARED = 25_000_000
"""Beyond this many pairs of lines a change is shown as one block."""
RULE = "=" * 67
NO_NEWLINE = "\\ No newline at end of file"


class Change(msgspec.Struct, frozen=True):
    """Lines `old_from:old_to` became lines `new_from:new_to`, counting from 0."""

    old_from: int
    old_to: int
    new_from: int
    new_to: int


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The places where these lines differ, in order."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(before) * len(after) > MOST_COMPARED:
        return [Change(head, len(old) - tail, head, len(new) - tail)]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        Change(head + a, head + b, head + c, head + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def patch(name: str, old: str, new: str, labels: tuple[str, str]) -> str:
    """A unified patch with three lines of context, `labels` after the two file names."""
    before, after = _lines(old), _lines(new)
    header = [f"Index: {name}", RULE, f"--- {name}\t{labels[0]}", f"+++ {name}\t{labels[1]}"]
    hunks = _grouped(changes(before, after), CONTEXT)
    body = [line for hunk in hunks for line in _hunk(hunk, before, after)]
    return "\n".join([*header, *body]) + "\n"


def stat(original: str, proposed: str, final: str) -> DiffStat:
    """The model's share of a change, and the person's on top of it."""
    model = _sizes(original, proposed)
    person = _sizes(proposed, final)
    return DiffStat(*model, *person)


def excerpt(old: str, new: str) -> str:
    """The changed places of the new text with five lines around; all of it if `old` is empty."""
    if not old:
        return new
    lines = new.split("\n")
    parts: list[str] = []
    shown_to = 0
    for hunk in _grouped(changes(old.split("\n"), lines), EXCERPT_CONTEXT):
        start = max(hunk[0].new_from - EXCERPT_CONTEXT, 0)
        end = min(hunk[-1].new_to + EXCERPT_CONTEXT, len(lines))
        if start > shown_to:
            parts.append("...")
        parts += lines[max(start, shown_to) : end]
        shown_to = end
    if shown_to < len(lines):
        parts.append("...")
    return "\n".join(parts)


def _lines(text: str) -> list[str]:
    """Lines with their ends, so that a missing final newline is a difference."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _grouped(found: list[Change], context: int) -> Iterator[list[Change]]:
    group: list[Change] = []
    for change in found:
        if group and change.new_from - group[-1].new_to > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[Change], old: list[str], new: list[str]) -> Iterator[str]:
    lead = min(CONTEXT, group[0].old_from)
    trail = min(CONTEXT, len(old) - group[-1].old_to)
    yield (
        f"@@ -{_span(group[0].old_from - lead, group[-1].old_to + trail)}"
        f" +{_span(group[0].new_from - lead, group[-1].new_to + trail)} @@"
    )
    at = group[0].old_from - lead
    for change in group:
        yield from _marked(" ", old[at : change.old_from])
        yield from _marked("-", old[change.old_from : change.old_to])
        yield from _marked("+", new[change.new_from : change.new_to])
        at = change.old_to
    yield from _marked(" ", old[at : at + trail])


def _span(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield NO_NEWLINE


def _sizes(old: str, new: str) -> tuple[int, int, int, int]:
    before, after = _lines(old), _lines(new)
    added = [line for c in changes(before, after) for line in after[c.new_from : c.new_to]]
    removed = [line for c in changes(before, after) for line in before[c.old_from : c.old_to]]
    return (
        len(added),
        len(removed),
        sum(len(line.rstrip("\n")) for line in added),
        sum(len(line.rstrip("\n")) for line in removed),
    )
