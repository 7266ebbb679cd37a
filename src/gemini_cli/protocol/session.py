"""What the outside sees of a running session, and the port it is spoken to through.

Every face sends `Op`s and reads `Envelope`s; nothing else goes in or out.
"""

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Protocol

import msgspec

from gemini_cli.protocol.events import Envelope
from gemini_cli.protocol.ids import AgentPath, SessionId, TurnId
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import Op

__all__ = ["Mode", "SessionPort", "SessionView", "Source"]


class Source(StrEnum):
    """How a session began; hooks match on it."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    FORK = "fork"


class SessionView(msgspec.Struct, frozen=True):
    """A snapshot of a session for whoever must decide something about the next step."""

    session_id: SessionId
    cwd: str
    mode: Mode
    model: str
    """The model in force: an alias such as `auto`, or a concrete name."""
    interactive: bool = False
    """Whether a person is there to answer asks."""
    roots: tuple[str, ...] = ()
    agent: AgentPath = ()
    turn_id: TurnId | None = None
    prompt_id: str = ""
    steps: int = 0
    """Model requests made in this session."""
    turn_steps: int = 0
    """Model requests made in this turn."""
    messages: int = 0
    prompt_tokens: int = 0
    """Size of the last request as the service counted it."""
    topic: str = ""


class SessionPort(Protocol):
    """A session, seen from a face."""

    @property
    def view(self) -> SessionView:
        """The present state."""
        ...

    async def send(self, op: Op) -> TurnId:
        """Hands in an op; the id of the turn it starts or joins, or "" where there is none."""
        ...

    def subscribe(
        self, *, coalesce: bool = False, after: int | None = None
    ) -> AsyncIterator[Envelope]:
        """Events from now on, or from behind sequence number `after`.

        The subscription exists from the moment of the call, not of the first read.
        `coalesce` joins text deltas that pile up while the reader is slow.
        """
        ...

    async def idle(self) -> None:
        """Returns when no turn runs and none is queued."""
        ...

    async def aclose(self) -> None:
        """Cancels what runs, ends the session and its subscriptions."""
        ...
