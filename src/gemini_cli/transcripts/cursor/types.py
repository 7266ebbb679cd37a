"""The shape of Cursor's transcript lines, for readers of the code and for type checkers.

Nothing is validated against these: a line may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict


class CursorMessage(TypedDict, total=False):
    """Blocks of the types `text` and `tool_use`, without ids or results."""

    content: Any


class CursorLine(TypedDict, total=False):
    """A message, or a control line that has a `type` and no role."""

    role: Literal["user", "assistant"]
    message: CursorMessage
    type: str
