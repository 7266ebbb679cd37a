"""The shape of Copilot CLI's events, for readers of the code and for type checkers.

Nothing is validated against these: an event may hold anything, and the parser coerces.
"""

from typing import Any, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject


class Event(TypedDict, total=False):
    """The envelope; what `data` holds is told by `type`."""

    type: str
    data: JsonObject
    id: str
    timestamp: str
    parentId: str | None
    agentId: str
    ephemeral: bool


class ToolRequest(TypedDict, total=False):
    """`arguments` is an object, or for a patch its text."""

    toolCallId: str
    name: str
    arguments: Any
    type: str
    mcpServerName: str
    mcpToolName: str
