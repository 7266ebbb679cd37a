"""Notices a model that wrote "rest of the code ..." where the code itself belongs.

Only lines that are nothing but such a phrase count; `#` comments are not recognised.
"""

import re

PHRASES = frozenset(
    {
        "rest of",
        "rest of method",
        "rest of methods",
        "rest of code",
        "unchanged code",
        "unchanged method",
        "unchanged methods",
    }
)
LINE = re.compile(r"(.*?)\s*\.{3,}")


def omissions(text: str) -> frozenset[str]:
    """The phrases of this text that stand for code left out."""
    found = (_phrase(line) for line in text.splitlines())
    return frozenset(phrase for phrase in found if phrase is not None)


def _phrase(line: str) -> str | None:
    line = line.strip().removeprefix("//").strip()
    if line.startswith("(") and line.endswith(")"):
        line = line[1:-1].strip()
    match = LINE.fullmatch(line)
    if match is None:
        return None
    phrase = " ".join(match[1].lower().split())
    return phrase if phrase in PHRASES else None
