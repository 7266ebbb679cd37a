"""Finds words in all sessions of all tools, the best places first.

Answers come from the index, which is brought up to date before. Matching is by whole words;
it does not know synonyms and it never reads a session file itself.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from gemini_cli.transcripts.archive.index import Index, Progress, open_index
from gemini_cli.transcripts.archive.query import expression
from gemini_cli.transcripts.archive.script import together
from gemini_cli.transcripts.places import project_roots
from gemini_cli.transcripts.registry import check_tool

SearchRole = Literal["user", "assistant", "system", "tool", "thinking"]
Sort = Literal["best", "newest"]
MARK, UNMARK = "\x02", "\x03"
"""Around each found word in a snippet."""

_MOST = 10_000
_CUT = (
    "SELECT coalesce(min(rowid), 0) FROM"
    " (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 20000)"
)
_COLUMNS = {"tool": "tools", "thinking": "thought"}


class Filters(Struct, frozen=True, kw_only=True):
    """What to look at. Times are Unix milliseconds; `project` counts with all below it."""

    tools: tuple[str, ...] = ()
    project: str | None = None
    role: SearchRole | None = None
    since: int | None = None
    until: int | None = None


class Hit(Struct, frozen=True):
    """One message that was found."""

    tool: str
    session_id: str
    title: str
    project: str | None
    path: str
    message_id: str
    role: str
    timestamp: int
    snippet: str
    score: float

    @property
    def plain_snippet(self) -> str:
        """The snippet without marks."""
        return self.snippet.replace(MARK, "").replace(UNMARK, "")


class SearchResult(Struct, frozen=True):
    """Hits, and remarks about the index."""

    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()


def search_sessions(
    text: str,
    filters: Filters | None = None,
    *,
    limit: int = 20,
    sort: Sort = "best",
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Searches all sessions. `folder` is where the index is kept."""
    chosen = filters or Filters()
    for tool in chosen.tools:
        check_tool(tool)
    expression(text)  # a question without words is refused before any work
    with open_index(folder, env) as index:
        index.update(chosen.tools or None, progress)
        hits = find(index, text, chosen, limit=limit, sort=sort)
        return SearchResult(tuple(hits), tuple(index.notices))


def find(
    index: Index, text: str, filters: Filters, *, limit: int = 20, sort: Sort = "best"
) -> list[Hit]:
    """The same on an index that is open already, as it is."""
    question = expression(text, _COLUMNS.get(filters.role or ""))
    try:
        return _found(index, question, filters, limit, sort)
    except sqlite3.OperationalError as error:
        index.notices.append(f"The search index could not be read: {error}.")
        return []
    except sqlite3.DatabaseError as error:
        index.rebuild(error)
        index.update(filters.tools or None)
        return _found(index, question, filters, limit, sort)


def _found(index: Index, question: str, filters: Filters, limit: int, sort: Sort) -> list[Hit]:
    """First the best places, then their details: snippets of all matches would take long."""
    where, values = conditions(filters, "m.at")
    joins = ""
    if where or sort == "newest":
        joins = " JOIN message m ON m.id = words.rowid JOIN session s ON s.id = m.session"
    order = "m.at DESC" if sort == "newest" else "words.rank"
    if not joins:
        # A word that is everywhere: only its newest places are weighed against each other.
        where = f" AND words.rowid >= ({_CUT})"
        values = [question]
    places = index.link.execute(
        f"SELECT words.rowid, words.rank FROM words{joins}"
        f" WHERE words MATCH ?{where} ORDER BY {order} LIMIT ?",
        (question, *values, min(limit, _MOST)),
    ).fetchall()
    if not places:
        return []
    marks = ", ".join("?" * len(places))
    details = index.link.execute(
        "SELECT m.id, s.tool, s.sid, s.title, s.project, s.path, m.name, m.role, m.at,"
        f" snippet(words, -1, '{MARK}', '{UNMARK}', '…', 24)"
        " FROM words JOIN message m ON m.id = words.rowid JOIN session s ON s.id = m.session"
        f" WHERE words MATCH ? AND words.rowid IN ({marks})",
        (question, *(place for place, _ in places)),
    )
    rows = {row[0]: row[1:] for row in details}
    return [_hit((*rows[place], rank)) for place, rank in places if place in rows]


def _hit(row: Sequence[Any]) -> Hit:
    tool, sid, title, project, path, name, role, at, snippet, rank = row
    shown = together(" ".join(str(snippet).split()))
    return Hit(tool, sid or "", title or "", project, path, name, role, at or 0, shown, -rank)


def conditions(filters: Filters, moment: str) -> tuple[str, list[object]]:
    """The filters as further conditions of an SQL statement on `session s`."""
    parts: list[str] = []
    values: list[object] = []
    if filters.tools:
        parts.append(f"s.tool IN ({', '.join('?' * len(filters.tools))})")
        values += filters.tools
    if filters.project is not None:
        roots = project_roots(filters.project)
        parts.append("(" + " OR ".join(["s.project = ? OR s.project GLOB ?"] * len(roots)) + ")")
        for root in roots:
            values += [root, _glob(root.rstrip("/\\")) + "[/\\]*"]
    if filters.role in ("user", "assistant", "system"):
        parts.append("m.role = ?")
        values.append(filters.role)
    if filters.since is not None:
        parts.append(f"{moment} >= ?")
        values.append(filters.since)
    if filters.until is not None:
        parts.append(f"{moment} < ?")
        values.append(filters.until)
    return "".join(f" AND {part}" for part in parts), values


def _glob(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)
