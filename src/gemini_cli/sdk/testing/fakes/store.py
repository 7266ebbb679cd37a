"""A store in memory, for sessions that need not outlive the test.

It keeps the durable envelopes as they came and folds them into messages when asked.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from gemini_cli.protocol.events import (
    Envelope,
    HistoryReplaced,
    MessageAdded,
    ModelReplied,
    RolledBack,
    ToolFinished,
    TurnStarted,
)
from gemini_cli.protocol.messages import Message, calls_of
from gemini_cli.protocol.store import SessionMeta, SessionRecord


class FakeStore:
    """Implements `Store`. What was told is in `told`, by session id."""

    def __init__(self) -> None:
        self.told: dict[str, list[Envelope]] = {}

    def append(self, envelope: Envelope) -> None:
        """Keeps a durable event."""
        if envelope.event.durable:
            self.told.setdefault(envelope.session_id, []).append(envelope)

    def path(self, session_id: str) -> str:
        """A name that looks like a file, once a person has said something."""
        return f"memory/{session_id}.jsonl" if self._main(session_id) else ""

    def load(self, session_id: str) -> SessionRecord | None:
        """The conversation as the events tell it."""
        told = self._main(session_id)
        if not told:
            return None
        meta = SessionMeta(session_id, told[0].at, told[-1].at, self.path(session_id))
        return SessionRecord(meta, folded(told))

    def _main(self, session_id: str) -> list[Envelope]:
        """The main agent's events; none before the first words of a person."""
        told = [each for each in self.told.get(session_id, []) if not each.agent]
        spoke = any(isinstance(each.event, TurnStarted) for each in told)
        return told if spoke else []


def folded(told: Iterable[Envelope]) -> tuple[Message, ...]:
    """The messages that remain; the replies to an answer's calls follow it as one message."""
    history: list[Message] = []
    for envelope in told:
        match envelope.event:
            case TurnStarted(message=message) | MessageAdded(message=message):
                history.append(message)
            case ModelReplied(message=message):
                history.append(message)
                if calls_of(message.parts):
                    name = f"{message.id}_response"
                    history.append(Message(name, "user", (), message.at, origin="tool"))
            case ToolFinished(reply=reply) if history:
                last = history[-1]
                history[-1] = replace(last, parts=(*last.parts, reply))
            case RolledBack(dropped=dropped):
                gone = {*dropped, *(f"{name}_response" for name in dropped)}
                history = [message for message in history if message.id not in gone]
            case HistoryReplaced(messages=messages):
                history = list(messages)
    return tuple(history)
