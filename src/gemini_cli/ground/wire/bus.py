"""The bus of a session: numbers each event and hands it to taps and subscribers, in order.

Publishing never waits and never fails: a slow reader has its own queue, and what a tap
raises becomes a notice. It does not look into events beyond joining deltas for slow readers.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from weakref import WeakSet

from gemini_cli.ground.wire.subscription import Subscription
from gemini_cli.protocol.events import Envelope, Event, Notice, SessionOpened
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.ids import AgentPath, TurnId

Watcher = Callable[[Envelope], None]


class LocalBus:
    """Implements `Bus` inside one process. Used from one event loop only."""

    def __init__(self, session_id: str, clock: Clock) -> None:
        self.session_id = session_id
        self._clock = clock
        self._seq = 0
        self._taps: list[Watcher] = []
        self._kept: deque[Envelope] = deque()
        self._readers: WeakSet[Subscription] = WeakSet()
        self._closed = False
        self._waiting: deque[Envelope] = deque()
        self._delivering = False

    def publish(self, event: Event, *, turn_id: TurnId | None, agent: AgentPath = ()) -> Envelope:
        """Numbers the event and hands it on. A main session that opens gives the bus its id."""
        if isinstance(event, SessionOpened) and not agent:
            self.session_id = event.session_id
        self._seq += 1
        envelope = Envelope(
            seq=self._seq,
            at=self._clock.now(),
            session_id=self.session_id,
            turn_id=turn_id,
            agent=agent,
            event=event,
        )
        self._waiting.append(envelope)
        if not self._delivering:
            self._deliver()
        return envelope

    def tap(self, watcher: Watcher) -> Callable[[], None]:
        """Calls `watcher` inside `publish`; the returned function ends that."""
        self._taps.append(watcher)

        def untap() -> None:
            if watcher in self._taps:
                self._taps.remove(watcher)

        return untap

    def subscribe(
        self, *, coalesce: bool = False, after: int | None = None
    ) -> AsyncIterator[Envelope]:
        """A queue of its own, filled from now on, or from behind `after` with what is durable."""
        missed: Iterable[Envelope] = ()
        if after is not None:
            missed = [envelope for envelope in self._kept if envelope.seq > after]
        reader = Subscription(missed, coalesce=coalesce, ended=self._closed)
        self._readers.add(reader)
        return reader

    def close(self) -> None:
        """Lets every reader finish what it has, and then end."""
        self._closed = True
        for reader in tuple(self._readers):
            reader.end()

    def _deliver(self) -> None:
        """Empties the queue; what a tap publishes meanwhile comes behind, never in between."""
        self._delivering = True
        try:
            while self._waiting:
                self._hand_out(self._waiting.popleft())
        finally:
            self._delivering = False

    def _hand_out(self, envelope: Envelope) -> None:
        if envelope.event.durable:
            self._kept.append(envelope)
        for reader in self._readers:
            reader.push(envelope)
        for watcher in tuple(self._taps):
            try:
                watcher(envelope)
            except Exception as problem:
                self._lost(watcher, envelope, problem)

    def _lost(self, watcher: Watcher, envelope: Envelope, problem: Exception) -> None:
        """Tells once per event that a watcher failed; its failing over that is not told again."""
        if isinstance(envelope.event, Notice) and envelope.event.code == "watcher_failed":
            return
        name = getattr(watcher, "__qualname__", type(watcher).__name__)
        kind = type(envelope.event).__name__
        text = f"{name} could not take in a {kind} event: {type(problem).__name__}: {problem}"
        self.publish(Notice("warning", text, "watcher_failed"), turn_id=envelope.turn_id)
