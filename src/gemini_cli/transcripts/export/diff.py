"""Changes of a file as coloured lines: from two texts, or from a diff that exists already.

Every line says by its sign, not only by its colour, whether it went or came.
"""

import difflib

from gemini_cli.transcripts.export.clean import escape

_COMPARE_LIMIT = 2_000
"""With more lines than this on a side the texts are shown one after the other."""


def changes(old: str, new: str) -> tuple[list[str], int, int]:
    """Unified diff lines without a header, and how many lines were added and removed."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) > _COMPARE_LIMIT or len(after) > _COMPARE_LIMIT:
        lines = ["-" + line for line in before] + ["+" + line for line in after]
    else:
        # The numbers of the hunks count within the snippet, not the file: they only mislead.
        compared = list(difflib.unified_diff(before, after, lineterm="", n=3))[3:]
        lines = ["@@ …" if line.startswith("@@") else line for line in compared]
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    return lines, added, removed


def diff_html(old: str, new: str) -> str:
    """The change from one text to another."""
    lines, _, _ = changes(old, new)
    return f'<pre class="diff">{_coloured(lines)}</pre>'


def diff_lines(text: str) -> str:
    """A diff that somebody wrote, coloured."""
    return _coloured(text.splitlines())


def _coloured(lines: list[str]) -> str:
    return "".join(f'<span class="{_kind(line)}">{escape(line) or " "}\n</span>' for line in lines)


def _kind(line: str) -> str:
    if line.startswith("@@"):
        return "hunk"
    if line.startswith("+") and not line.startswith("+++"):
        return "ins"
    if line.startswith("-") and not line.startswith("---"):
        return "del"
    return "ctx"
