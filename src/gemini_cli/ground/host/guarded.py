"""The names no tool may touch: version control internals, secrets, installed packages.

A name is judged as the most lenient file system would read it: letter case, trailing dots
and spaces, NTFS streams and short names, and invisible characters make no difference.
"""

import re
import unicodedata
from collections.abc import Iterable

NAMES = frozenset({".git", ".env", "node_modules"})
CREDENTIALS = re.compile(r"gha-creds-.*\.json", re.DOTALL)
# What NTFS makes of those names in 8.3 form: a number, or four hex digits after collisions.
SHORT_FORMS = re.compile(
    r"(?:(?:git|env|node_m)~[0-9]+|(?:gi|en|no)[0-9a-f]{4}~[0-9]+"
    r"|(?:gha-cr|gh[0-9a-f]{4})~[0-9]+\.jso)"
)


def is_guarded(segment: str) -> bool:
    """Whether one part of a path is such a name."""
    name = _lenient(segment)
    return (
        name in NAMES
        or CREDENTIALS.fullmatch(name) is not None
        or SHORT_FORMS.fullmatch(name) is not None
    )


def guarded_part(parts: Iterable[str]) -> str | None:
    """The first such part, if any."""
    return next((part for part in parts if is_guarded(part)), None)


def _lenient(segment: str) -> str:
    visible = segment
    if not segment.isascii():
        # HFS+ drops format characters when it compares names; APFS folds and composes.
        kept = (c for c in segment if unicodedata.category(c) != "Cf")
        visible = unicodedata.normalize("NFC", "".join(kept))
    return visible.split(":", 1)[0].rstrip(". ").casefold()
