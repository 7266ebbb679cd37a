"""The port to the place where sessions are kept.

A store is an observer: it is handed every durable event and writes it down at once, one
line, so that a killed process loses at most the line being written.
"""

from typing import Protocol

import msgspec

from gemini_cli.protocol.events import Envelope
from gemini_cli.protocol.messages import Message


class SessionMeta(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a list of sessions shows."""

    session_id: str
    started: str
    updated: str
    path: str = ""
    summary: str | None = None
    directories: tuple[str, ...] = ()
    kind: str = "main"
    forked_from: str | None = None


class SessionRecord(msgspec.Struct, frozen=True):
    """A stored session, ready to go on with."""

    meta: SessionMeta
    messages: tuple[Message, ...]


class Store(Protocol):
    """Where sessions are kept."""

    def append(self, envelope: Envelope) -> None:
        """Writes a durable event. Never raises for a full disk: it warns once and stops writing."""
        ...

    def path(self, session_id: str) -> str:
        """The file of a session, or "" while nothing is recorded."""
        ...

    def load(self, session_id: str) -> SessionRecord | None:
        """A stored session, or None. Raises `SessionProblem` for one that cannot be read."""
        ...
