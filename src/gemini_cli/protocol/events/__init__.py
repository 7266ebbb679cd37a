"""Everything that can happen, as plain data in the past tense.

Durable events go into the journal and can be replayed; live ones are shown and forgotten.
An event of a kind we do not know is kept as `Unknown`.
"""

from typing import ClassVar, TypeAlias

import msgspec

from gemini_cli.protocol.events.ask import AskRaised, AskResolved
from gemini_cli.protocol.events.signal import Signal
from gemini_cli.protocol.events.status import (
    BackgroundEnded,
    Failed,
    HookRan,
    McpChanged,
    MetaChanged,
    ModeChanged,
    ModelChosen,
    Notice,
    Retrying,
    RootsChanged,
)
from gemini_cli.protocol.events.tool import (
    FINAL,
    CallState,
    ToolChanged,
    ToolFinished,
    ToolProgress,
)
from gemini_cli.protocol.events.turn import (
    CitationsGiven,
    Compacted,
    End,
    HistoryReplaced,
    MessageAdded,
    ModelReplied,
    Problem,
    RolledBack,
    SessionOpened,
    TextDelta,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.ids import AgentPath, SessionId, TurnId
from gemini_cli.protocol.jsonvalue import JsonObject


class Unknown(msgspec.Struct, frozen=True, tag=True):
    """An event of a newer version, kept as it came."""

    durable: ClassVar[bool] = True
    raw: JsonObject


Event: TypeAlias = (
    SessionOpened
    | TurnStarted
    | MessageAdded
    | TextDelta
    | ModelReplied
    | UsageReported
    | CitationsGiven
    | HistoryReplaced
    | RolledBack
    | Compacted
    | TurnEnded
    | ToolChanged
    | ToolProgress
    | ToolFinished
    | AskRaised
    | AskResolved
    | Notice
    | Failed
    | ModeChanged
    | ModelChosen
    | RootsChanged
    | MetaChanged
    | Retrying
    | McpChanged
    | HookRan
    | BackgroundEnded
    | Signal
    | Unknown
)


class Envelope(msgspec.Struct, frozen=True):
    """An event with its place in the session. `agent` is the path of the subagent it is from."""

    seq: int
    at: str
    session_id: SessionId
    turn_id: TurnId | None
    agent: AgentPath
    event: Event


__all__ = [
    "FINAL",
    "AskRaised",
    "AskResolved",
    "BackgroundEnded",
    "CallState",
    "CitationsGiven",
    "Compacted",
    "End",
    "Envelope",
    "Event",
    "Failed",
    "HistoryReplaced",
    "HookRan",
    "McpChanged",
    "MessageAdded",
    "MetaChanged",
    "ModeChanged",
    "ModelChosen",
    "ModelReplied",
    "Notice",
    "Problem",
    "Retrying",
    "RolledBack",
    "RootsChanged",
    "SessionOpened",
    "Signal",
    "TextDelta",
    "ToolChanged",
    "ToolFinished",
    "ToolProgress",
    "TurnEnded",
    "TurnStarted",
    "Unknown",
    "UsageReported",
]
