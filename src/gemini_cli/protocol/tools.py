"""The port of a tool: it describes itself, prepares a call, runs it, and returns a result.

A tool never asks a person, never reads settings and never sees the loop. What it wants to
change beyond its own work it returns as an effect.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import msgspec

from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.display import Display, Location, Preview
from gemini_cli.protocol.host import Clock, Files, Processes, PtySize, Workspace
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Blob, Text
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Models
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.session import SessionView

Kind: TypeAlias = Literal[
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "agent",
    "fetch",
    "communicate",
    "plan",
    "switch_mode",
    "other",
]

Family: TypeAlias = Literal["gemini-3", "default-legacy"]
"""Which set of descriptions a model is given; names and types are the same in both."""


class ModeSet(msgspec.Struct, frozen=True, tag=True):
    """Effect: the session goes on in another mode."""

    mode: Mode


class RootAdded(msgspec.Struct, frozen=True, tag=True):
    """Effect: a folder joins the workspace."""

    path: str
    read_only: bool = False


class TopicSet(msgspec.Struct, frozen=True, tag=True):
    """Effect: the session works on this now."""

    title: str
    summary: str = ""


class AgentEnded(msgspec.Struct, frozen=True, tag=True):
    """Effect: a subagent is finished, with this as its answer."""

    output: str


class TurnStopped(msgspec.Struct, frozen=True, tag=True):
    """Effect: no further model request in this turn."""

    reason: str = ""


class TailCalled(msgspec.Struct, frozen=True, tag=True):
    """Effect: run this tool next and let its result stand in for ours."""

    name: str
    args: JsonObject


Effect: TypeAlias = ModeSet | RootAdded | TopicSet | AgentEnded | TurnStopped | TailCalled


class ToolResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a tool has to say. With `error` set, the model reads that instead of `for_model`."""

    for_model: tuple[Text | Blob, ...] = ()
    display: Display | None = None
    error: str | None = None
    error_type: str | None = None
    data: JsonObject = {}
    effects: tuple[Effect, ...] = ()
    truncate: bool = False
    """Whether an over-long text may be cut down and kept in a file (shell, MCP)."""


def said(text: str, display: Display | None = None) -> ToolResult:
    """A plain success."""
    return ToolResult(for_model=(Text(text),), display=display)


def failed(
    message: str, kind: str = "execution_failed", display: Display | None = None
) -> ToolResult:
    """A failure the model may mend. `kind` is one of the error types tools report."""
    return ToolResult(error=message, error_type=kind, display=display)


Delegation: TypeAlias = Callable[
    [AgentSpec, JsonObject, Callable[[Display], None]], Awaitable[ToolResult]
]
"""Has a subagent work with these arguments, showing its progress, and returns its result."""


class ToolContext(msgspec.Struct, frozen=True):
    """The machine and the session as one call may use them."""

    call_id: str
    session_id: str
    view: SessionView
    files: Files
    processes: Processes
    workspace: Workspace
    models: Models
    clock: Clock
    scratch: Path
    """A folder of this session outside the workspace; made by whoever first writes there."""
    progress: Callable[[Display], None]
    """Shows live output; each call replaces what was shown before."""
    started: Callable[[int], None]
    """Tells the pid of a child, so that a person may type into it or stop it."""
    env: dict[str, str] = {}
    """The environment children may see."""
    pty: PtySize | None = None
    """Set when children should get a terminal."""
    delegate: Delegation | None = None
    """Opens a subagent as part of this call; None where there can be none."""


class Invocation(Protocol):
    """One prepared call: the arguments are valid, nothing has happened yet."""

    @property
    def title(self) -> str:
        """One line for a person: what this call would do."""
        ...

    @property
    def kind(self) -> Kind:
        """What sort of thing it does."""
        ...

    @property
    def locations(self) -> tuple[Location, ...]:
        """The files it touches."""
        ...

    async def preview(self, ctx: ToolContext) -> Preview | None:
        """What a person approves; None for a plain yes or no. May raise `ToolProblem`."""
        ...

    def question(self) -> Ask | None:
        """For a tool that *is* a question: its answer is handed to `run`."""
        ...

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        """Does it. Raises `ToolProblem` or returns a result with `error`; cancelling stops it."""
        ...


class Tool(Protocol):
    """A tool as the model knows it."""

    @property
    def name(self) -> str:
        """The wire name."""
        ...

    @property
    def kind(self) -> Kind:
        """What sort of thing its calls do."""
        ...

    @property
    def parallel(self) -> bool:
        """Whether neighbouring calls may run beside each other. Edits say no."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether a call leaves the world as it was."""
        ...

    @property
    def display_name(self) -> str:
        """The name people see."""
        ...

    @property
    def server(self) -> str | None:
        """The MCP server it comes from."""
        ...

    def declaration(self, family: Family) -> JsonObject:
        """`{name, description, parametersJsonSchema}` as sent to the model."""
        ...

    def prepare(self, args: JsonObject) -> Invocation:
        """Checks the arguments. Raises `InvalidArgs` with a text for the model."""
        ...


class Catalog(Protocol):
    """The tools there are; they may appear and vanish while a session runs."""

    def declared(self, view: SessionView) -> Sequence[Tool]:
        """What the model is offered now, in stable order."""
        ...

    def find(self, name: str, view: SessionView) -> Tool | None:
        """The tool of this name or alias, if it may be called now."""
        ...

    def near(self, name: str, view: SessionView) -> Sequence[str]:
        """Up to three names that look like this one."""
        ...
