"""One reader's queue of envelopes.

It exists from the moment it is made, keeps everything until it is read, and joins live
deltas while reading so that a slow screen catches up in one go.
"""

import asyncio
from collections import deque
from collections.abc import Iterable

import msgspec

from gemini_cli.protocol.events import Envelope, TextDelta, ToolProgress


class Subscription:
    """An async iterator over envelopes, for one reader."""

    def __init__(self, missed: Iterable[Envelope], *, coalesce: bool, ended: bool) -> None:
        self._queue: deque[Envelope] = deque(missed)
        self._coalesce = coalesce
        self._ended = ended
        self._more: asyncio.Future[None] | None = None

    def push(self, envelope: Envelope) -> None:
        """Takes in one envelope; never waits."""
        if not self._ended:
            self._queue.append(envelope)
            self._wake()

    def end(self) -> None:
        """Nothing more will come."""
        self._ended = True
        self._wake()

    async def aclose(self) -> None:
        """Ends the reading early and forgets what is waiting."""
        self._queue.clear()
        self.end()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Envelope:
        while not self._queue:
            if self._ended:
                raise StopAsyncIteration
            self._more = asyncio.get_running_loop().create_future()
            try:
                await self._more
            finally:
                self._more = None
        envelope = self._queue.popleft()
        return self._joined(envelope) if self._coalesce else envelope

    def _wake(self) -> None:
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _joined(self, first: Envelope) -> Envelope:
        """The first envelope with all directly following ones that continue it."""
        last, pieces = first, [first]
        while self._queue and _continues(last, self._queue[0]):
            last = self._queue.popleft()
            pieces.append(last)
        if last is first or not isinstance(last.event, TextDelta):
            return last
        text = "".join(p.event.text for p in pieces if isinstance(p.event, TextDelta))
        return msgspec.structs.replace(last, event=TextDelta(text, last.event.thought))


def _continues(before: Envelope, after: Envelope) -> bool:
    if (before.turn_id, before.agent) != (after.turn_id, after.agent):
        return False
    first, second = before.event, after.event
    if isinstance(first, TextDelta) and isinstance(second, TextDelta):
        return first.thought == second.thought
    if isinstance(first, ToolProgress) and isinstance(second, ToolProgress):
        return first.call_id == second.call_id and second.replace
    return False
