"""The rooms that add a part to every session, in order: a new room adds its file and a line."""

from gemini_cli.app.wire import sessions, tools
from gemini_cli.app.wire.part import PartOf

ROOMS: tuple[PartOf, ...] = (sessions.part, tools.part)
