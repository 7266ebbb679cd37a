"""What a room adds to a session, and what it may look at to build that.

Rooms that answer for a whole port (models, policy, hooks, prompts) hand out the port itself;
every other room adds a `Part`, and so may a face or a program that opens the session.
"""

from collections.abc import Callable

import msgspec

from gemini_cli.app.wire.basis import Basis
from gemini_cli.app.wire.host import Host
from gemini_cli.protocol.events import Envelope
from gemini_cli.protocol.ports import Around, Guard
from gemini_cli.protocol.tools import Tool

Watcher = Callable[[Envelope], None]


class Opening(msgspec.Struct, frozen=True):
    """A session that is being built."""

    basis: Basis
    host: Host
    session_id: str
    warn: Callable[[str], None]
    """Tells the person something, on the session's own bus."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One room's share of a session."""

    tools: tuple[Tool, ...] = ()
    watchers: tuple[Watcher, ...] = ()
    """See every event before anyone acts on it, in the order of the rooms."""
    around: tuple[Around, ...] = ()
    guards: tuple[Callable[[], Guard], ...] = ()
    transcript: Callable[[], str] | None = None
    """Where the conversation is written down."""


PartOf = Callable[[Opening], Part]
