"""The SQLite file behind the archive: opened, made, thrown away and made again.

It only holds what can be read again from the sessions, so a broken or foreign file is replaced
and a locked one is left alone. The folder and the file are for the owner only.
"""

import contextlib
import os
import sqlite3
from pathlib import Path

from gemini_cli.ground.config.env import from_here
from gemini_cli.transcripts.archive.prices import AS_OF

SCHEMA = f"4 prices {AS_OF}"
"""Another value means another layout or other prices: the file is made anew."""

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session(
  id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL,
  size INTEGER NOT NULL, stamp INTEGER NOT NULL, sid TEXT, title TEXT, project TEXT, model TEXT,
  branch TEXT, created INTEGER, updated INTEGER, messages INTEGER NOT NULL DEFAULT 0,
  failed TEXT);
CREATE TABLE message(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, name TEXT, role TEXT NOT NULL, at INTEGER);
CREATE INDEX message_session ON message(session);
CREATE VIRTUAL TABLE words USING fts5(
  said, thought, tools, tokenize="unicode61 remove_diacritics 2");
CREATE TABLE usage(
  session INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL, requests INTEGER NOT NULL,
  input INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost REAL NOT NULL,
  unpriced INTEGER NOT NULL);
CREATE INDEX usage_session ON usage(session);
CREATE TABLE call(
  session INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL, name TEXT NOT NULL,
  calls INTEGER NOT NULL, errors INTEGER NOT NULL);
CREATE INDEX call_session ON call(session);
CREATE TABLE response(key TEXT PRIMARY KEY, session INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX response_session ON response(session);
INSERT INTO words(words, rank) VALUES('rank', 'bm25(4.0, 1.0, 1.0)');
"""


def connect(file: Path | None) -> sqlite3.Connection:
    """The database in `file`, made if need be; None keeps it in memory.

    `sqlite3.DatabaseError` says that the file is no database of ours, `OperationalError` that it
    cannot be used just now.
    """
    if file is None:
        link = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        link.executescript(_TABLES)
        return link
    _private(file)
    link = sqlite3.connect(file, timeout=2.0, isolation_level=None, check_same_thread=False)
    try:
        link.execute("PRAGMA journal_mode=WAL")
        link.execute("PRAGMA synchronous=OFF")
        link.execute("PRAGMA temp_store=MEMORY")
        link.execute("PRAGMA cache_size=-32768")
        _fill(link)
    except sqlite3.Error:
        link.close()
        raise
    return link


def copied(file: Path) -> sqlite3.Connection | None:
    """A database in memory that begins with what `file` holds; None where it is not usable.

    For a file that may be read only. With changes of another process lying beside it, it is not.
    """
    side = file.with_name(file.name + "-wal")
    try:
        if not file.is_file() or (side.exists() and side.stat().st_size):
            return None
        source = sqlite3.connect(f"{from_here(file).as_uri()}?immutable=1", uri=True)
    except (OSError, sqlite3.Error):
        return None
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        source.backup(memory)
        if _version(memory) == SCHEMA:
            return memory
    except sqlite3.Error:
        pass
    finally:
        source.close()
    memory.close()
    return None


def _fill(link: sqlite3.Connection) -> None:
    version = _version(link)
    if version == SCHEMA:
        return
    if version is not None:
        raise sqlite3.DatabaseError(f"layout {version!r}, expected {SCHEMA!r}")
    link.execute("BEGIN IMMEDIATE")
    try:
        if _version(link) is None:
            for statement in _TABLES.split(";\n"):
                if statement.strip():
                    link.execute(statement)
            link.execute("INSERT INTO meta VALUES('schema', ?)", (SCHEMA,))
        link.execute("COMMIT")
    except sqlite3.Error:
        link.execute("ROLLBACK")
        raise


def _version(link: sqlite3.Connection) -> str | None:
    tables = link.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        return None
    named = link.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meta'").fetchone()[0]
    if not named:
        return ""
    row = link.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    return str(row[0]) if row else ""


def remove(file: Path) -> None:
    """Deletes the database with its side files."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            file.with_name(file.name + suffix).unlink()


def _private(file: Path) -> None:
    missing = [place for place in file.parents if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True, mode=0o700)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
