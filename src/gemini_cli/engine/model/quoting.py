"""Makes words of a service fit to be shown: one short line, without controls, markup or keys.

Whatever a service, a gateway or a proxy says may end on a terminal or in the log of a build,
so nothing of it may move the cursor, change the order of letters or give a credential away.
"""

import re
from collections.abc import Iterable

LONGEST = 300
SHORTEST_SECRET = 8
"""Anything shorter is a placeholder, and words happen to contain it."""

_KEY = re.compile(r"AIza[0-9A-Za-z_\-]{10,}")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_NOT_SHOWN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<[^>]*>")


def one_line(text: str, secrets: Iterable[str] = ()) -> str:
    """The words on one line of at most `LONGEST` characters, credentials replaced."""
    text = without_keys(" ".join(_UNSEEN.sub(" ", text).split()), secrets)
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"


def without_keys(text: str, secrets: Iterable[str] = ()) -> str:
    """The words with these secrets, and whatever else looks like a key, replaced."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "[key]")
    return _KEY.sub("[key]", text)


def words_of_page(text: str) -> str:
    """A web page without its tags, scripts and styles."""
    return _TAGS.sub(" ", _NOT_SHOWN.sub(" ", text))
