"""Events of one tool call, from the moment the model asks for it until it has its reply."""

from enum import StrEnum
from typing import ClassVar, Literal

import msgspec

from gemini_cli.protocol.display import Display, Location
from gemini_cli.protocol.messages import Call, Reply


class CallState(StrEnum):
    """Where a call stands. The last three are final."""

    VALIDATING = "validating"
    AWAITING_APPROVAL = "awaiting_approval"
    SCHEDULED = "scheduled"
    EXECUTING = "executing"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"


FINAL = frozenset({CallState.SUCCESS, CallState.ERROR, CallState.CANCELLED})


class ToolChanged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A call moved to another state."""

    durable: ClassVar[bool] = False
    state: CallState
    call: Call
    title: str = ""
    kind: str = "other"
    display_name: str = ""
    locations: tuple[Location, ...] = ()
    pid: int | None = None
    display: Display | None = None


class ToolProgress(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Live output of a running call."""

    durable: ClassVar[bool] = False
    call_id: str
    update: Display
    replace: bool = True


class ToolFinished(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A call has its reply."""

    durable: ClassVar[bool] = True
    call: Call
    """As the model asked for it."""
    reply: Reply
    status: Literal["success", "error", "cancelled"]
    display: Display | None = None
    error: str | None = None
    error_type: str | None = None
    duration_ms: int = 0
    decision: Literal["accept", "reject", "modify", "auto_accept"] | None = None
    title: str = ""
    kind: str = "other"
    display_name: str = ""
    agent_id: str | None = None
    """The session of the subagent that did the work."""
