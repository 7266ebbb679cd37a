"""Events about the state of things around the conversation."""

from typing import ClassVar, Literal

import msgspec

from gemini_cli.protocol.events.turn import Problem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode


class Notice(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A line for the person. `code` lets a face treat a known one specially."""

    durable: ClassVar[bool] = True
    level: Literal["info", "warning", "error"]
    text: str
    code: str = ""


class Failed(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The turn cannot go on."""

    durable: ClassVar[bool] = True
    problem: Problem


class ModeChanged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Another approval mode is in force."""

    durable: ClassVar[bool] = True
    mode: Mode
    by: str = "person"


class ModelChosen(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """This model answers from now on."""

    durable: ClassVar[bool] = True
    model: str
    source: str = "default"
    reason: str = ""


class RootsChanged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The workspace is now this."""

    durable: ClassVar[bool] = True
    roots: tuple[str, ...]


class MetaChanged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Something about the session as a whole: its title, its topic."""

    durable: ClassVar[bool] = True
    changes: JsonObject


class Retrying(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A request failed and is about to be repeated."""

    durable: ClassVar[bool] = False
    attempt: int
    max_attempts: int
    delay_ms: int
    error: str
    model: str
    reason: Literal["connection", "stream"] = "connection"
    """`stream`: text already shown belongs to an answer that will not be kept."""


class McpChanged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """An MCP server came, went or failed."""

    durable: ClassVar[bool] = False
    server: str
    status: str
    tools: int = 0
    error: str | None = None


class HookRan(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A hook was run."""

    durable: ClassVar[bool] = False
    event: str
    name: str
    success: bool
    duration_ms: int = 0
    exit_code: int | None = None
    error: str | None = None


class BackgroundEnded(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A command that had been sent to the background is done."""

    durable: ClassVar[bool] = False
    pid: int
    command: str
    exit_code: int | None = None
    output: str = ""
