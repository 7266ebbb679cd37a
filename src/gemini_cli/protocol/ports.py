"""The ports a session is built from, as one value.

`Session.refit` swaps the whole of it between steps, so that new settings, tools or rules
take effect without a restart.
"""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from gemini_cli.protocol.events import Envelope, Event
from gemini_cli.protocol.hooks import Hooks
from gemini_cli.protocol.host import Clock, Files, Processes, PtySize, Workspace
from gemini_cli.protocol.ids import AgentPath, TurnId
from gemini_cli.protocol.messages import Call, Message, Part
from gemini_cli.protocol.model import Models
from gemini_cli.protocol.people import People
from gemini_cli.protocol.policy import Policy
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Catalog, Invocation, ToolResult


class Prompts(Protocol):
    """What the model is told besides the conversation."""

    def system(self, view: SessionView) -> str:
        """The system instruction; the same text while nothing it depends on changes."""
        ...

    def opening(self, view: SessionView) -> tuple[Message, ...]:
        """The messages a fresh history begins with."""
        ...

    def delta(self, view: SessionView) -> tuple[Part, ...]:
        """News for the model since the last step, such as what the editor shows."""
        ...


class Around(Protocol):
    """Something done around each run of a tool: a checkpoint before, memory after."""

    async def before(self, call: Call, invocation: Invocation) -> None: ...

    async def after(self, call: Call, invocation: Invocation, result: ToolResult) -> ToolResult: ...


class Go(msgspec.Struct, frozen=True, tag=True):
    """Nothing against the next step."""


class Stop(msgspec.Struct, frozen=True, tag=True):
    """The turn ends here, in this way."""

    end: str
    text: str


class Inject(msgspec.Struct, frozen=True, tag=True):
    """The next step starts with these parts added."""

    parts: tuple[Part, ...]
    notice: str = ""


class CompactNow(msgspec.Struct, frozen=True, tag=True):
    """The history must shrink first."""


Advice: TypeAlias = Go | Stop | Inject | CompactNow


class Guard(Protocol):
    """Watches a turn and may end it or set it right. One instance per turn."""

    def saw(self, event: Event) -> None:
        """Every event of the turn, as it is published."""
        ...

    def tripped(self) -> bool:
        """Whether the answer being streamed should be broken off now."""
        ...

    async def before_step(self, view: SessionView) -> Advice:
        """Asked before each model request."""
        ...


class Bus(Protocol):
    """Where a session publishes and everybody else listens. Publishing never blocks or fails."""

    def publish(self, event: Event, *, turn_id: TurnId | None, agent: AgentPath = ()) -> Envelope:
        """Numbers the event and hands it to every tap and subscriber, in order."""
        ...

    def tap(self, watcher: Callable[[Envelope], None]) -> Callable[[], None]:
        """Calls `watcher` inside `publish`, before it returns; the journal listens so.

        What a watcher raises is reported as a notice and never reaches the publisher. The
        returned function ends the listening.
        """
        ...

    def subscribe(
        self, *, coalesce: bool = False, after: int | None = None
    ) -> AsyncIterator[Envelope]:
        """As `SessionPort.subscribe`. Durable events are never dropped."""
        ...

    def close(self) -> None:
        """Ends every subscription once it has been read to the end."""
        ...


class Ports(msgspec.Struct, frozen=True):
    """Everything a session needs from outside."""

    models: Models
    catalog: Catalog
    prompts: Prompts
    policy: Policy
    hooks: Hooks
    people: People
    files: Files
    processes: Processes
    workspace: Workspace
    clock: Clock
    scratch: Path
    around: tuple[Around, ...] = ()
    guards: tuple[Callable[[], Guard], ...] = ()
    """Makers of further guards; the loop has its own."""
    transcript: Callable[[], str] = str
    """Path of the journal, for hooks."""
    child_env: dict[str, str] = {}
    pty: PtySize | None = None
