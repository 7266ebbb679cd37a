"""Notices a model that wrote "rest of the code ..." where the code itself belongs.

Only lines that are nothing but such a phrase count; `#` comments are not recognised.
"""

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


def omissions(text: str) -> frozenset[str]:
    """The phrases of this text that stand for code left out."""
    found = (_phrase(line) for line in text.splitlines())
    return frozenset(phrase for phrase in found if phrase is not None)


def _phrase(line: str) -> str | None:
    line = line.strip().removeprefix("//").strip()
    if line.startswith("(") and line.endswith(")"):
        line = line[1:-1].strip()
    if not line.endswith("..."):
        return None
    phrase = " ".join(line.rstrip(".").lower().split())
    return phrase if phrase in PHRASES else None
