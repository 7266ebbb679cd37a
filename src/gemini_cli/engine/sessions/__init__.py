"""Sessions on disk: what happened, written as it happens, and read back to go on with.

Door of the room: `Journal` is the `Store` port, `Stats` counts what a session costs.
"""

from gemini_cli.engine.sessions.journal import Journal
from gemini_cli.engine.sessions.replay import messages_of
from gemini_cli.engine.sessions.stats import Stats

__all__ = ["Journal", "Stats", "messages_of"]
