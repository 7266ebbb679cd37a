"""The archive's index: keeps itself up to date with the stores, answers from one file.

A session is read again only when its size or time has changed. A broken index is built anew and
a locked one is used as it is; each of these is told as a notice and is never an error.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from msgspec import Struct

from gemini_cli.protocol.errors import GeminiError
from gemini_cli.transcripts.archive import database
from gemini_cli.transcripts.archive.digest import UNKNOWN_MODEL, Digest, Spent, digest
from gemini_cli.transcripts.archive.sources import Source, plain, sources
from gemini_cli.transcripts.gemini.store import base
from gemini_cli.transcripts.model import LoadReport, SessionInfo
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.places import environment
from gemini_cli.transcripts.registry import Found, loader_for, tool_names

_BATCH = 200
_STORES = (
    "HOME",
    "USERPROFILE",
    "GEMINI_CLI_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "QWEN_HOME",
    "QWEN_RUNTIME_DIR",
    "XDG_DATA_HOME",
    "COPILOT_HOME",
    "CURSOR_HOME",
)


Progress = Callable[[str, int, int], None]
"""Tool, sessions read, sessions to read."""


class Update(Struct, frozen=True):
    """What an update did."""

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0


class Index:
    """An open index. Use it as a context manager, or close it."""

    def __init__(self, link: sqlite3.Connection, env: Mapping[str, str], file: Path | None) -> None:
        self.link = link
        self.env = env
        self.notices: list[str] = []
        self._file = file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self.link.close()

    def update(
        self, tools: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Update:
        """Reads what has changed in the stores of `tools` (default: all of them).

        `progress` is told how many sessions of a tool were read and how many there are to read.
        """
        total = Update()
        for tool in tools or tool_names():
            try:
                done = self._update_tool(tool, progress)
            except sqlite3.OperationalError as error:
                self.notices.append(f"The search index was not brought up to date: {error}.")
                return total
            except sqlite3.DatabaseError as error:
                self.rebuild(error)
                return self.update(tools, progress) if self._file is not None else total
            except (GeminiError, OSError) as error:
                self.notices.append(f"The sessions of {tool} could not be read: {error}.")
                continue
            total = Update(
                total.read + done.read,
                total.unchanged + done.unchanged,
                total.removed + done.removed,
                total.failed + done.failed,
            )
        return total

    def rebuild(self, reason: Exception) -> None:
        """Throws a broken file away and begins an empty one, in memory if the file is no use."""
        self.notices.append(f"The search index was built anew ({reason}).")
        self.link.close()
        try:
            if self._file is None:
                raise OSError("there is no file")
            database.remove(self._file)
            self.link = database.connect(self._file)
        except (OSError, sqlite3.Error):
            self._file = None
            self.link = database.connect(None)

    def _update_tool(self, tool: str, progress: Progress | None) -> Update:
        rows = self.link.execute("SELECT key, size, stamp FROM session WHERE tool = ?", (tool,))
        known = {key: (size, stamp) for key, size, stamp in rows}
        changed: list[Source] = []
        seen: set[str] = set()
        for source in sources(tool, self.env):
            seen.add(source.key)
            if known.get(source.key) != (source.size, source.stamp):
                changed.append(source)
        changed.sort(key=lambda source: source.stamp)  # so that later rows are newer
        gone = [key for key in known if key not in seen]
        failed = 0
        for start in range(0, len(changed), _BATCH):
            if progress is not None:
                progress(tool, start, len(changed))
            failed += self._write(changed[start : start + _BATCH])
        if gone:
            self._transact(gone, ())
        return Update(len(changed), len(seen) - len(changed), len(gone), failed)

    def _write(self, batch: Sequence[Source]) -> int:
        read = [(source, *self._read(source)) for source in batch]
        self._transact([source.key for source in batch], read)
        return sum(trouble is not None for _, _, _, trouble in read)

    def _read(self, source: Source) -> tuple[SessionInfo | None, Digest, str | None]:
        try:
            info = source.describe()
            if info is None:
                return None, Digest(), None
            found = Found(Path(source.path), source.session_id or info.id)
            messages = loader_for(source.tool).iter_messages(found, _OPTIONS, LoadReport())
            return info, digest(messages), None
        except (GeminiError, OSError, sqlite3.DatabaseError) as error:
            return None, Digest(), str(error)

    def _transact(
        self,
        drop: Iterable[str],
        add: Iterable[tuple[Source, SessionInfo | None, Digest, str | None]],
    ) -> None:
        self.link.execute("BEGIN IMMEDIATE")
        try:
            for key in drop:
                self._drop(key)
            for source, info, found, trouble in add:
                self._add(source, info, found, trouble)
            self.link.execute("COMMIT")
        except BaseException:
            self.link.execute("ROLLBACK")
            raise

    def _drop(self, key: str) -> None:
        row = self.link.execute("SELECT id FROM session WHERE key = ?", (key,)).fetchone()
        if row is None:
            return
        self.link.execute(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM message WHERE session = ?)", row
        )
        for name in ("message", "usage", "call", "response"):
            self.link.execute(f"DELETE FROM {name} WHERE session = ?", row)
        self.link.execute("DELETE FROM session WHERE id = ?", row)

    def _add(
        self, source: Source, info: SessionInfo | None, found: Digest, trouble: str | None
    ) -> None:
        row = self.link.execute(
            "INSERT INTO session(key, tool, path, size, stamp, sid, title, project, model, branch,"
            " created, updated, messages, failed) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                plain(source.key),
                source.tool,
                plain(source.path),
                source.size,
                source.stamp,
                _opt(info.id if info else found.session_id),
                _opt(info.heading if info else found.title),
                _opt((info.project_path if info else None) or found.project),
                _opt((info.model if info else None) or found.model),
                _opt(info.git_branch if info else None),
                (info.created_at if info else 0) or found.created,
                (info.updated_at if info else 0) or found.updated,
                found.messages,
                trouble,
            ),
        )
        session = row.lastrowid or 0
        self._add_words(session, found)
        self._add_numbers(session, found)

    def _add_words(self, session: int, found: Digest) -> None:
        for words in found.words:
            row = self.link.execute(
                "INSERT INTO message(session, name, role, at) VALUES(?,?,?,?)",
                (session, plain(words.name), words.role, words.at),
            )
            self.link.execute(
                "INSERT INTO words(rowid, said, thought, tools) VALUES(?,?,?,?)",
                (row.lastrowid, words.said, words.thought, words.tools),
            )

    def _add_numbers(self, session: int, found: Digest) -> None:
        spent = dict(found.spent)
        for key, (day, model, usage) in found.responses.items():
            done = self.link.execute(
                "INSERT OR IGNORE INTO response VALUES(?,?)", (plain(key), session)
            )
            if done.rowcount:
                spent.setdefault((day, model or UNKNOWN_MODEL), Spent()).add(usage, model)
        self.link.executemany(
            "INSERT INTO usage VALUES(?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    session,
                    day,
                    plain(model),
                    one.requests,
                    one.input,
                    one.cache_read,
                    one.cache_write,
                    one.output,
                    one.reasoning,
                    one.cost,
                    one.unpriced,
                )
                for (day, model), one in spent.items()
            ],
        )
        self.link.executemany(
            "INSERT INTO call VALUES(?,?,?,?,?,?)",
            [
                (session, d, plain(m), plain(n), *counts)
                for (d, m, n), counts in found.calls.items()
            ],
        )


_OPTIONS = LoadOptions(images="drop")


def _opt(text: str | None) -> str | None:
    return None if text is None else plain(text)


def default_folder(env: Mapping[str, str]) -> Path:
    """Where the index lies unless the caller says otherwise."""
    return base(env) / "tmp" / "transcripts-index"


def open_index(folder: Path | None = None, env: Mapping[str, str] | None = None) -> Index:
    """The index in `folder`; one in memory, with a notice, when the folder cannot be used."""
    values = environment(env)
    marks = "\0".join(values.get(name) or "" for name in _STORES)
    name = f"index-{hashlib.sha256(marks.encode('utf-8', 'replace')).hexdigest()[:12]}.sqlite"
    file = (folder if folder is not None else default_folder(values)) / name
    notices: list[str] = []
    link: sqlite3.Connection | None = None
    try:
        link = _opened(file, notices)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        notices.append(f"{file} cannot be written ({reason}); the index is not kept.")
    index = Index(link or _in_memory(file), values, file if link else None)
    index.notices += notices
    return index


def _in_memory(file: Path) -> sqlite3.Connection:
    return database.copied(file) or database.connect(None)


def _opened(file: Path, notices: list[str]) -> sqlite3.Connection:
    try:
        return database.connect(file)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        if file.stat().st_size:
            notices.append(f"The search index was built anew ({error}).")
        database.remove(file)
        return database.connect(file)
