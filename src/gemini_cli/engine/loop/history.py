"""The messages of a conversation, and what remains of them after trouble.

Nothing here awaits: a change to the history happens whole or not at all. It decides which
messages may be sent; merging neighbours and signing parts is the model wire's business.
"""

from collections.abc import Iterable, Sequence

from gemini_cli.engine.loop.repair import repaired
from gemini_cli.protocol.messages import Message, Part, Text, calls_of, replies_of


class History:
    """An append-only list with marks to roll back to."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._items: list[Message] = list(repaired(tuple(messages)))
        self._calls = _call_ids(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything, also what may not be sent."""
        return tuple(self._items)

    def commit(self, message: Message) -> None:
        """Adds a message."""
        self._items.append(message)
        self._calls.update(call.id for call in calls_of(message.parts))

    def rollback(self, mark: int) -> tuple[str, ...]:
        """Forgets everything from `mark` on; the ids of what is gone, oldest first."""
        dropped = tuple(message.id for message in self._items[mark:])
        del self._items[mark:]
        self._calls = _call_ids(self._items)
        return dropped

    def replace(self, messages: Iterable[Message]) -> None:
        """Puts these, repaired where they need it, in place of everything."""
        self._items = list(repaired(tuple(messages)))
        self._calls = _call_ids(self._items)

    def position(self, message_id: str) -> int | None:
        """Where the message of this id stands."""
        return next((i for i, m in enumerate(self._items) if m.id == message_id), None)

    @property
    def ends_with_replies(self) -> bool:
        """Whether tools have answered and the model has not said anything since."""
        for message in reversed(self._items):
            if message.role == "model":
                return False
            if replies_of(message.parts):
                return True
        return False

    def unanswered_from(self, mark: int) -> bool:
        """Whether nothing but a person's words, or words put beside them, stands behind `mark`."""
        return all(m.role == "user" and not replies_of(m.parts) for m in self._items[mark:])

    def has_call(self, call_id: str) -> bool:
        """Whether a call of this id was made before."""
        return call_id in self._calls

    def usable(self) -> tuple[Message, ...]:
        """What may be sent: all user messages, and runs of model messages without a hollow one."""
        kept: list[Message] = []
        run: list[Message] = []
        for message in self._items:
            if message.role == "model":
                run.append(message)
                continue
            kept.extend(_sound(run))
            run.clear()
            kept.append(message)
        kept.extend(_sound(run))
        return tuple(kept)


def _call_ids(messages: Sequence[Message]) -> set[str]:
    return {call.id for message in messages for call in calls_of(message.parts)}


def _sound(run: Sequence[Message]) -> Sequence[Message]:
    return run if all(not _hollow(part) for message in run for part in message.parts) else ()


def _hollow(part: Part) -> bool:
    return isinstance(part, Text) and not (part.text or part.thought or part.signature)
