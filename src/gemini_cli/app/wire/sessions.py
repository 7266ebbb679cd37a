"""Wires the journal: every durable event of a session is on disk before anyone acts on it."""

from gemini_cli.app.wire.part import Opening, Part
from gemini_cli.engine.sessions import Journal
from gemini_cli.protocol.errors import InputError


def part(opening: Opening) -> Part:
    """Writes the session down. Raises `InputError` where its chosen id is taken."""
    basis, session_id = opening.basis, opening.session_id
    if not basis.launch.persist:
        return Part()
    chats = basis.paths.chats(basis.short_id)
    journal = Journal(chats, str(basis.paths.cwd), opening.warn, basis.clock.new_id)
    if basis.launch.session_id and journal.path(session_id):
        raise InputError(
            f"--session-id {session_id}: this session exists already "
            f"({journal.path(session_id)}); choose another id"
        )
    return Part(watchers=(journal.append,), transcript=lambda: journal.path(session_id))
