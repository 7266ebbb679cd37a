"""What waits for its turn: prompts and ops in the order they came, and words for steering.

It keeps the order and decides nothing about when the next one is taken.
"""

from collections import deque

import msgspec

from gemini_cli.protocol.ops import Op, Prompt


class Waiting(msgspec.Struct, frozen=True):
    """An op with the id of the turn it will be."""

    op: Op
    turn_id: str
    overtaken: bool = False
    """Whether it is replaced already: it begins only to be cancelled."""


class Inbox:
    """A queue whose front can be taken by a replacing prompt."""

    def __init__(self) -> None:
        self._queue: deque[Waiting] = deque()
        self._steering: list[Waiting] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    def put(self, op: Op, turn_id: str) -> None:
        """Takes its place at the end."""
        self._queue.append(Waiting(op, turn_id))

    def put_first(self, op: Prompt, turn_id: str) -> None:
        """Goes before everything else that waits, but behind what it replaces itself."""
        replaced: list[Waiting] = []
        while self._queue and _replaces(self._queue[0]):
            replaced.append(self._queue.popleft())
        self._queue.appendleft(Waiting(op, turn_id))
        for waiting in reversed(replaced):
            self._queue.appendleft(Waiting(waiting.op, waiting.turn_id, overtaken=True))

    def take(self) -> Waiting:
        """The next in line."""
        return self._queue.popleft()

    def steer(self, op: Prompt, turn_id: str) -> None:
        """Words for the running turn."""
        self._steering.append(Waiting(op, turn_id))

    def steering(self) -> list[Waiting]:
        """All words for the running turn, once."""
        taken, self._steering = self._steering, []
        return taken

    def unsteered(self) -> None:
        """Words that came too late for the turn become the next prompts."""
        for waiting in reversed(self.steering()):
            self._queue.appendleft(waiting)

    def clear(self) -> None:
        """Forgets all prompts that wait."""
        self._queue.clear()
        self._steering.clear()


def _replaces(waiting: Waiting) -> bool:
    return isinstance(waiting.op, Prompt) and waiting.op.delivery == "replace"
