"""The store of sessions: writes every durable event down at once, and reads sessions back.

Files come into being with the first words of a person and are only ever appended to. When a
file cannot be written any more, one warning is given and the conversation goes on unrecorded.
"""

import errno
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from gemini_cli.engine.sessions.file import Locked, SessionFile
from gemini_cli.engine.sessions.find import Stored, file_name, find, read
from gemini_cli.engine.sessions.records import Records, header
from gemini_cli.engine.sessions.replay import messages_of
from gemini_cli.ground.formats.session_file import short_id
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.events import Envelope, SessionOpened
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.store import SessionMeta, SessionRecord

Warn = Callable[[str], None]


class Journal:
    """The `Store` port over the folder of one project's sessions.

    `root` is the project's folder, as it stands in `projectHash`. `warn` is told, once per
    session, why nothing is recorded any more, or that a copy is written instead; `new_id`
    names such a copy.
    """

    def __init__(self, chats: Path, root: str, warn: Warn, new_id: Callable[[], str]) -> None:
        self._chats = chats
        self._new_id = new_id
        self._root = root
        self._warn = warn
        self._open: dict[str, _Written] = {}

    def append(self, envelope: Envelope) -> None:
        """Writes a durable event down. Never raises for a disk that is full or gone."""
        if envelope.agent or not envelope.event.durable:
            return
        if isinstance(envelope.event, SessionOpened):
            self._opened(envelope.event, envelope.at)
        session = self._open.get(envelope.session_id)
        if session is not None:
            session.saw(envelope)

    def path(self, session_id: str) -> str:
        """The file of a session, or "" while nothing is recorded."""
        session = self._open.get(session_id)
        if session is not None:
            return session.path
        found = find(self._chats, session_id)
        return "" if found is None else str(found)

    def load(self, session_id: str) -> SessionRecord | None:
        """A stored session, or None. Raises `SessionProblem` for one that cannot be read."""
        found = find(self._chats, session_id)
        if found is None:
            return None
        stored = read(found)
        return SessionRecord(meta_of(stored), messages_of(stored.messages))

    def busy(self, session_id: str) -> bool:
        """Whether another process is writing this session, so that it should be forked."""
        found = find(self._chats, session_id)
        if found is None or session_id in self._open:
            return False
        try:
            SessionFile.reopen(found).close()
        except Locked:
            return True
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Gives all files back."""
        for session in self._open.values():
            session.close()
        self._open.clear()

    def _opened(self, opened: SessionOpened, at: str) -> None:
        if opened.session_id in self._open:
            return
        found = None if opened.source == "startup" else find(self._chats, opened.session_id)
        head = header(opened, at, self._root)
        place = _Place(self._chats, head, opened.cwd, self._new_id)
        try:
            copied = self._parent(opened) if found is None else []
            session = _Written(place, found, self._warn, copied)
        except SessionProblem as problem:
            self._warn(f"{problem} This conversation is recorded in a new file.")
            session = _Written(place, None, self._warn, [])
        self._open[opened.session_id] = session

    def _parent(self, opened: SessionOpened) -> Sequence[JsonObject]:
        """What a fork begins with: the messages of the session it comes from."""
        if opened.source != "fork" or not opened.parent:
            return []
        path = find(self._chats, opened.parent)
        return [] if path is None else read(path).messages


class _Place(msgspec.Struct, frozen=True):
    chats: Path
    header: JsonObject
    cwd: str
    new_id: Callable[[], str]


class _Written:
    """One session that is being recorded."""

    def __init__(
        self, place: _Place, resumed: Path | None, warn: Warn, copied: Sequence[JsonObject]
    ) -> None:
        self._place = place
        self._warn = warn
        self._file: SessionFile | None = None
        self._resumed = resumed
        self._quiet = False
        known = [] if resumed is None else self._messages(resumed)
        self._records = Records(self._stored, place.cwd, resumed=known, copied=copied)

    @property
    def path(self) -> str:
        if self._file is not None:
            return str(self._file.path)
        return "" if self._resumed is None else str(self._resumed)

    def saw(self, envelope: Envelope) -> None:
        if self._quiet:
            return
        try:
            lines = self._records.saw(envelope)
            if lines and self._file is None:
                self._file = self._begin()
            for record in lines:
                self._write(record)
        except (OSError, SessionProblem) as error:
            self._give_up(error)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, record: JsonObject) -> None:
        if self._file is not None:
            self._file.append(record)

    def _begin(self) -> SessionFile:
        """The file to append to: the resumed one, or a new one with its header."""
        if self._resumed is None:
            return self._new(self._place.header)
        if self._resumed.suffix == ".jsonl":
            try:
                return SessionFile.reopen(self._resumed)
            except Locked:
                return self._fork(self._resumed)
        return self._converted(self._resumed)

    def _new(self, head: JsonObject) -> SessionFile:
        started, name = head["startTime"], head["sessionId"]
        path = self._place.chats / file_name(started, name)
        try:
            file = SessionFile.create(path)
        except FileExistsError:
            other = f"session-{time.time_ns() // 1_000_000}-{short_id(name)}.jsonl"
            file = SessionFile.create(path.with_name(other))
        file.append(head)
        return file

    def _fork(self, original: Path) -> SessionFile:
        """Goes on in a copy, because another process writes the original."""
        stored = read(original)
        source = stored.metadata.get("sessionId", "")
        head = {
            **{key: value for key, value in stored.metadata.items() if key != "messages"},
            "sessionId": self._place.new_id(),
            "startTime": self._place.header["startTime"],
            "forkedFrom": {"sessionId": source},
        }
        file = self._new(head)
        file.append({"$set": {"messages": stored.messages}})
        self._warn(
            f"Session {source} is in use by another process. This conversation is recorded as "
            f"{head['sessionId']} instead."
        )
        return file

    def _converted(self, old: Path) -> SessionFile:
        """A file of the old kind is kept; what it holds goes on in a new one beside it."""
        stored = read(old)
        file = SessionFile.create(old.with_suffix(".jsonl"))
        known = {key: value for key, value in stored.metadata.items() if value}
        file.append({**self._place.header, **known})
        for message in stored.messages:
            file.append(message)
        return file

    def _stored(self) -> Sequence[JsonObject]:
        path = self.path
        return self._messages(Path(path)) if path else []

    def _messages(self, path: Path) -> list[JsonObject]:
        return read(path).messages

    def _give_up(self, error: OSError | SessionProblem) -> None:
        self._quiet = True
        where = self.path or str(self._place.chats)
        reason = str(error)
        if isinstance(error, OSError):
            full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", -1))
            reason = "the disk is full" if full else (error.strerror or str(error))
        self._warn(
            f"This session is no longer recorded in {where}: {reason}. The conversation goes on, "
            "but it cannot be resumed from here."
        )


def meta_of(stored: Stored) -> SessionMeta:
    """What a list shows of a stored session."""
    data = stored.metadata
    directories = data.get("directories")
    fork = data.get("forkedFrom")
    summary = data.get("summary")
    return SessionMeta(
        session_id=str(data.get("sessionId", "")),
        started=str(data.get("startTime", "")),
        updated=str(data.get("lastUpdated", data.get("startTime", ""))),
        path=str(stored.path),
        summary=summary if isinstance(summary, str) else None,
        directories=tuple(d for d in directories if isinstance(d, str))
        if isinstance(directories, list)
        else (),
        kind=str(data.get("kind", "main")),
        forked_from=str(fork["sessionId"])
        if isinstance(fork, dict) and "sessionId" in fork
        else None,
    )
