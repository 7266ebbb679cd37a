"""Wires the journal: every durable event of a session is on disk before anyone acts on it."""

from collections.abc import Callable

from gemini_cli.app.wire.basis import Basis
from gemini_cli.engine.sessions import Journal


def build_journal(basis: Basis, warn: Callable[[str], None]) -> Journal:
    """The store of this project's sessions."""
    return Journal(
        basis.paths.chats(basis.short_id), str(basis.paths.cwd), warn, basis.clock.new_id
    )
