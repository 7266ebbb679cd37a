"""Names for the identifiers that travel through the product, and how they are spelled.

A call id is known inside and in every output as `<tool name>__<id>`; on the wire to the
model the prefix is taken off again. Nothing here makes ids: `Clock` does.
"""

from typing import TypeAlias

SessionId: TypeAlias = str
TurnId: TypeAlias = str
CallId: TypeAlias = str
AskId: TypeAlias = str
AgentPath: TypeAlias = tuple[str, ...]
"""Names of the subagents from the outermost in; empty for the main agent."""

_MARK = "__"


def prefixed(name: str, call_id: str) -> CallId:
    """The id as we carry it: `name__id`, added only once."""
    return call_id if call_id.startswith(name + _MARK) else f"{name}{_MARK}{call_id}"


def unprefixed(name: str, call_id: CallId) -> str:
    """The id as the model service knows it."""
    return call_id.removeprefix(name + _MARK)


def session_id_ok(value: str) -> bool:
    """Whether a person may give a session this id."""
    return bool(value) and all(c.isascii() and (c.isalnum() or c in "-_") for c in value)
