"""One session that is being recorded: from its first words to its file.

It decides where the file lies and what happens when it cannot be written; what goes into it
is decided by `records`.
"""

import errno
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from gemini_cli.engine.sessions.file import Locked, SessionFile
from gemini_cli.engine.sessions.find import file_name, read
from gemini_cli.engine.sessions.records import Records
from gemini_cli.ground.formats.session_file import short_id
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.events import Envelope
from gemini_cli.protocol.jsonvalue import JsonObject

Warn = Callable[[str], None]


class Place(msgspec.Struct, frozen=True):
    """Where a session is recorded, and with what first line."""

    chats: Path
    header: JsonObject
    cwd: str
    new_id: Callable[[], str]
    name: str = ""
    """The name of its file, where that is not the usual one."""


class Written:
    """One session that is being recorded."""

    def __init__(
        self, place: Place, resumed: Path | None, warn: Warn, copied: Sequence[JsonObject]
    ) -> None:
        self._place = place
        self._warn = warn
        self._file: SessionFile | None = None
        self._resumed = resumed
        self._quiet = False
        known = None if resumed is None else self._messages(resumed)
        self._records = Records(self._stored, place.cwd, resumed=known, copied=copied)

    @property
    def path(self) -> str:
        """The file, or "" while there is none."""
        if self._file is not None:
            return str(self._file.path)
        return "" if self._resumed is None else str(self._resumed)

    def saw(self, envelope: Envelope) -> None:
        """Writes down what there is to write of this event."""
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
        """Gives the file back; the next thing to write opens it again."""
        if self._file is not None:
            self._resumed = self._file.path
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
        path = self._place.chats / (self._place.name or file_name(started, name))
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
