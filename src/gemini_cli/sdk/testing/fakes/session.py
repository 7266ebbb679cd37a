"""A real session on fake ports, with everything it says at hand.

For tests of tools, hooks, guards and faces: what runs is the product's own loop.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from msgspec.structs import replace

from gemini_cli.engine.loop import LoopLimits, Session
from gemini_cli.ground.wire import LocalBus, LocalPeople
from gemini_cli.protocol.events import Envelope, Event, ToolFinished, TurnEnded
from gemini_cli.protocol.messages import Message, Text, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import Delivery, Prompt
from gemini_cli.protocol.ports import Ports
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import Tool
from gemini_cli.sdk.testing.fakes.models import FakeModels, Script
from gemini_cli.sdk.testing.fakes.ports import fake_ports
from gemini_cli.sdk.testing.fakes.tools import FakeCatalog

_E = TypeVar("_E", bound=Event)


class FakeSession:
    """A session with its ports, its bus and all envelopes so far."""

    def __init__(self, session: Session, ports: Ports, bus: LocalBus) -> None:
        self.session = session
        self.ports = ports
        self.bus = bus
        self.envelopes: list[Envelope] = []
        self._untap = bus.tap(self.envelopes.append)

    @property
    def events(self) -> list[Event]:
        """What happened, in order."""
        return [envelope.event for envelope in self.envelopes]

    def of(self, kind: type[_E]) -> list[_E]:
        """What happened of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def replies(self) -> list[str]:
        """What the model was told by its tools."""
        return [text_of(event.reply.parts) for event in self.of(ToolFinished)]

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation as it stands."""
        return self.session.history

    async def prompt(self, words: str, delivery: Delivery = "queue") -> TurnEnded:
        """Sends words and waits for the end of their turn."""
        turn_id = await self.session.send(Prompt((Text(words),), delivery=delivery))
        await self.session.idle()
        for envelope in reversed(self.envelopes):
            if envelope.turn_id == turn_id and isinstance(envelope.event, TurnEnded):
                return envelope.event
        raise AssertionError(f"turn {turn_id} never ended")

    async def until(self, kind: type[_E], count: int = 1) -> _E:
        """Gives other tasks their turns until so many events of this kind have happened."""
        for _ in range(10_000):
            found = self.of(kind)
            if len(found) >= count:
                return found[count - 1]
            await asyncio.sleep(0)
        raise AssertionError(f"no {kind.__name__} number {count} in {self.events}")


@asynccontextmanager
async def fake_session(
    *script: Script,
    tools: Sequence[Tool] = (),
    ports: Ports | None = None,
    limits: LoopLimits | None = None,
    interactive: bool = False,
    mode: Mode = Mode.DEFAULT,
    history: Sequence[Message] = (),
    source: Source = Source.STARTUP,
    answered_live: bool = False,
    **overrides: Any,
) -> AsyncIterator[FakeSession]:
    """Opens a session whose model answers from `script`; closes it at the end.

    With `answered_live`, questions are published on the bus and wait for an `AnswerAsk`.
    Further keyword arguments are fields of `Ports`.

    """
    if ports is None:
        models, catalog = FakeModels(*script), FakeCatalog(tools)
        ports = fake_ports(**{"models": models, "catalog": catalog, **overrides})
    bus = LocalBus("session", ports.clock)
    if answered_live:
        ports = replace(ports, people=LocalPeople(bus, present=True))
    session = Session(
        session_id="session",
        ports=ports,
        bus=bus,
        cwd="/work",
        mode=mode,
        model="fake-model",
        limits=limits,
        interactive=interactive,
        history=history,
        source=source,
    )
    run = FakeSession(session, ports, bus)
    await session.start()
    try:
        yield run
    finally:
        await session.aclose()
