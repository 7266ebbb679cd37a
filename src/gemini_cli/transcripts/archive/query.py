"""What a person types into a search, as a question the index understands.

Words must all occur; "several words" stand together, a star at the end means any ending, a dash
before a word excludes it, OR joins alternatives. No input is an error of syntax.
"""

import re

from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.archive.script import apart

_TOKEN = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
_WORDS = re.compile(r"\w", re.UNICODE)


def expression(text: str, column: str | None = None) -> str:
    """The FTS5 expression. `column` limits the search to one kind of words."""
    groups: list[list[str]] = [[]]
    excluded: list[str] = []
    for found in _TOKEN.finditer(text.replace("\0", " ")):
        dash, phrase, word = found[1], found[2], found[3]
        if phrase is None and not dash and word == "OR":
            groups.append([])
            continue
        term = _term(word if phrase is None else phrase, phrase is None)
        if term is not None:
            (excluded if dash else groups[-1]).append(term)
    wanted = ["(" + " AND ".join(group) + ")" for group in groups if group]
    if not wanted:
        raise UsageError(
            f"There is no word to search for in {text!r}. "
            "Give at least one word that is not excluded."
        )
    whole = " OR ".join(wanted)
    if excluded:
        whole = f"({whole}) NOT ({' OR '.join(excluded)})"
    return f"{{{column}}} : ({whole})" if column else whole


def _term(word: str, may_end: bool) -> str | None:
    star = may_end and len(word) > 1 and word.endswith("*")
    bare = word.rstrip("*") if star else word
    if _WORDS.search(bare) is None:
        return None
    bare = apart(bare.encode("utf-8", "replace").decode())
    quoted = '"' + bare.replace('"', '""') + '"'
    return quoted + " *" if star else quoted
