"""Events of a session and its turns: what was asked, what the model said, how it ended."""

from enum import StrEnum
from typing import ClassVar, Literal

import msgspec

from gemini_cli.protocol.messages import Message, Usage
from gemini_cli.protocol.mode import Mode


class End(StrEnum):
    """How a turn ended."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    MAX_STEPS = "max_steps"
    STOPPED = "stopped"
    """A hook or a tool ended it."""
    BLOCKED = "blocked"
    """A hook kept the prompt from the model."""
    LOOP = "loop"
    OVERFLOW = "overflow"
    INVALID_STREAM = "invalid_stream"
    REFUSED = "refused"
    """The service would not answer this."""
    DECLINED = "declined"
    """The person declined every call."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error as data."""

    kind: str
    message: str
    status: int | None = None
    exit_code: int = 1


class SessionOpened(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A session began or goes on."""

    durable: ClassVar[bool] = True
    session_id: str
    cwd: str
    model: str
    mode: Mode
    source: Literal["startup", "resume", "clear", "fork"] = "startup"
    parent: str | None = None
    roots: tuple[str, ...] = ()
    interactive: bool = False


class TurnStarted(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A prompt is being worked on."""

    durable: ClassVar[bool] = True
    message: Message
    prompt_id: str = ""


class MessageAdded(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A message that is neither a prompt nor a model's nor a tool's joined the history."""

    durable: ClassVar[bool] = True
    message: Message


class TextDelta(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A piece of the answer, or of a thought, as it comes."""

    durable: ClassVar[bool] = False
    text: str
    thought: bool = False


class ModelReplied(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """An answer is complete and part of the history."""

    durable: ClassVar[bool] = True
    message: Message
    finish: str | None = None


class UsageReported(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """One request to a model is over, well or not."""

    durable: ClassVar[bool] = True
    model: str
    usage: Usage = Usage()
    role: str = "main"
    latency_ms: int = 0
    error_kind: str | None = None


class CitationsGiven(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Sources of the answer, once, when it is complete."""

    durable: ClassVar[bool] = False
    text: str


class HistoryReplaced(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The history is now this; what was before no longer counts."""

    durable: ClassVar[bool] = True
    messages: tuple[Message, ...]
    reason: Literal["load", "compact", "mask", "rewind", "clear"] = "load"


class RolledBack(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """These messages are gone again, as if they had never been sent."""

    durable: ClassVar[bool] = True
    dropped: tuple[str, ...]
    """Their ids, oldest first."""
    reason: str = ""


class Compacted(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The history was summarised, or it was tried."""

    durable: ClassVar[bool] = True
    before: int
    after: int
    status: int = 1


class TurnEnded(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The session is idle again, or takes the next prompt of the queue."""

    durable: ClassVar[bool] = True
    end: End
    text: str = ""
    """What the model said after its last tool call."""
    problem: Problem | None = None
    steps: int = 0
