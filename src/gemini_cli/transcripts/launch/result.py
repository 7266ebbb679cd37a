"""How a headless run ended: its messages, its answer, and the reason when there is none.

A run that started always ends in a result; only an absent CLI or an impossible option raises.
`success` needs both a clean exit and the CLI's own word that it finished.
"""

from typing import Generic, TypeVar

from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.model import UnifiedMessage, Usage

T = TypeVar("T")

NEVER_FINISHED = -1
"""The exit code of a run whose process was ended by us or never came up."""


class ExecuteResult(Struct, Generic[T], frozen=True, kw_only=True):
    """The outcome of `execute`. `duration` is in milliseconds."""

    success: bool
    exit_code: int
    session_id: str
    duration: int
    messages: tuple[UnifiedMessage, ...] = ()
    data: T | str | None = None
    error: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str | None = None
    stats: JsonObject | None = None
    """The CLI's own figures, as its last event gave them."""
    events_skipped: int = 0
    """Lines that were no JSON objects, of an unknown type, or over the size limit."""
    timed_out: bool = False
    cancelled: bool = False
    hydrated: bool = False
    """Whether `messages` come from the session file."""
    notes: tuple[str, ...] = ()
    """Options that the CLI does not have, and flags it did not know."""
