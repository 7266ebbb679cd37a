"""OpenCode's SQLite store, opened for reading only, while OpenCode may be writing to it.

Columns differ by version, so rows are taken as they are and asked by name. Nothing is locked
for longer than one query.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from gemini_cli.ground.config.env import from_here
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts, opt_str, time_ms
from gemini_cli.transcripts.errors import SessionCorruptError
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import LoadReport, SessionInfo
from gemini_cli.transcripts.places import is_file

_LONGEST_VALUE = 64 * 1024 * 1024
Stored = tuple[str, JsonObject, list[JsonObject]]


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection; a folder we may not write to is read as it lies."""
    if not is_file(path):
        raise SessionCorruptError(str(path), "it is not a file")
    address = "file:" + quote(str(from_here(path))) + "?mode=ro"
    try:
        with closing(_open(address)) as link:
            yield link
    except sqlite3.Error as error:
        raise SessionCorruptError(str(path), f"SQLite says: {error}") from error
    except UnicodeError as error:  # names of columns and SQLite's own messages are decoded too
        raise SessionCorruptError(str(path), "its schema is broken") from error


def _open(address: str) -> sqlite3.Connection:
    for extra in ("", "&immutable=1"):
        link = sqlite3.connect(address + extra, uri=True, timeout=2.0, check_same_thread=False)
        link.row_factory = sqlite3.Row
        # The file may be anybody's: columns can be computed, and be as large as they like.
        link.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        link.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            link.execute("PRAGMA trusted_schema=OFF")
            link.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return link
        except sqlite3.OperationalError:
            link.close()
            if extra:
                raise
    raise AssertionError("unreachable")


def tables(link: sqlite3.Connection) -> set[str]:
    """The names of the tables there are."""
    rows = link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row["name"] for row in rows}


def sessions(path: Path) -> list[JsonObject]:
    """Every row of the session table."""
    with connected(path) as link:
        if "session" not in tables(link):
            return []
        return [dict(row) for row in link.execute("SELECT * FROM session")]


def info_of(row: JsonObject, path: Path) -> SessionInfo:
    """A row as a list shows it."""
    created = time_ms(row.get("time_created")) or 0
    title = as_str(row.get("title")) or as_str(row.get("slug")) or as_str(row.get("id"))
    return SessionInfo(
        tool="opencode",
        id=as_str(row.get("id")),
        path=str(path),
        title=title,
        project_path=opt_str(row.get("directory")),
        created_at=created,
        updated_at=time_ms(row.get("time_updated")) or created,
        parent_id=opt_str(row.get("parent_id")),
    )


def messages(path: Path, session_id: str, report: LoadReport) -> Iterator[Stored]:
    """Each message of a session with its parts."""
    with connected(path) as link:
        known = tables(link)
        found = False
        if "message" in known:
            query = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id"
            for row in link.execute(query, (session_id,)):
                found = True
                yield _stored(link, dict(row), report, with_parts="part" in known)
        if not found and "session_message" in known:
            query = "SELECT * FROM session_message WHERE session_id = ? ORDER BY time_created, id"
            for row in link.execute(query, (session_id,)):
                yield _newer(dict(row), report)


def _stored(
    link: sqlite3.Connection, row: JsonObject, report: LoadReport, *, with_parts: bool
) -> Stored:
    name = as_str(row.get("id"))
    query = "SELECT * FROM part WHERE message_id = ? ORDER BY id"
    rows = link.execute(query, (name,)) if with_parts else ()
    parts = [{"id": part["id"], **_json(dict(part), report)} for part in rows]
    return name, _json(row, report), parts


def _newer(row: JsonObject, report: LoadReport) -> Stored:
    """A row that may hold the message and its parts in one object."""
    data = _json(row, report)
    parts = dicts(data.get("parts")) or dicts(data.get("content"))
    info = as_dict(data.get("info")) or data
    if "role" not in info and "type" in row:
        info = {"role": row["type"], **info}
    return as_str(row.get("id")), info, parts


def _json(row: JsonObject, report: LoadReport) -> JsonObject:
    report.lines += 1
    data: object = row.get("data")
    try:
        return as_dict(decode(data)) if isinstance(data, str | bytes) else {}
    except ValueError:
        report.bad_lines += 1
        return {}
