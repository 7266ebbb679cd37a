"""The store of sessions: writes every durable event down at once, and reads sessions back.

Files come into being with the first words of a person and are only ever appended to. When a
file cannot be written any more, one warning is given and the conversation goes on unrecorded.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from gemini_cli.engine.sessions.children import Children
from gemini_cli.engine.sessions.file import Locked, SessionFile
from gemini_cli.engine.sessions.find import Stored, find, read
from gemini_cli.engine.sessions.records import header
from gemini_cli.engine.sessions.replay import messages_of
from gemini_cli.engine.sessions.written import Place, Warn, Written
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.events import Envelope, SessionOpened
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.store import SessionMeta, SessionRecord


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
        self._open: dict[str, Written] = {}
        self._children = Children(chats, root, warn, new_id)

    def append(self, envelope: Envelope) -> None:
        """Writes a durable event down. Never raises for a disk that is full or gone."""
        if not envelope.event.durable:
            return
        if envelope.agent:
            self._children.append(envelope)
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
        self._children.close()

    def _opened(self, opened: SessionOpened, at: str) -> None:
        if opened.session_id in self._open:
            return
        found = None if opened.source == "startup" else find(self._chats, opened.session_id)
        head = header(opened, at, self._root)
        place = Place(self._chats, head, opened.cwd, self._new_id)
        try:
            copied = self._parent(opened) if found is None else []
            session = Written(place, found, self._warn, copied)
        except SessionProblem as problem:
            self._warn(f"{problem} This conversation is recorded in a new file.")
            session = Written(place, None, self._warn, [])
        self._open[opened.session_id] = session

    def _parent(self, opened: SessionOpened) -> Sequence[JsonObject]:
        """What a fork begins with: the messages of the session it comes from."""
        if opened.source != "fork" or not opened.parent:
            return []
        path = find(self._chats, opened.parent)
        return [] if path is None else read(path).messages


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
