"""The golden event logs, written down and read back: what the session held is what comes back."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gemini_cli.protocol.codec import decode_envelope
from gemini_cli.protocol.events import (
    Envelope,
    HistoryReplaced,
    MessageAdded,
    ModelReplied,
    RolledBack,
    ToolFinished,
    TurnStarted,
)
from gemini_cli.protocol.messages import Message, calls_of, replies_of, text_of

FOLDER = Path(__file__).parents[2] / "corpora" / "events"


def history_of(envelopes: list[Envelope]) -> list[Message]:
    """The conversation as the events tell it."""
    history: list[Message] = []
    for envelope in envelopes:
        if envelope.agent:
            continue
        match envelope.event:
            case TurnStarted(message=message) | MessageAdded(message=message):
                history.append(message)
            case ModelReplied(message=message):
                history.append(message)
                if calls_of(message.parts):
                    name = f"{message.id}_response"
                    history.append(Message(name, "user", (), "", origin="tool"))
            case ToolFinished(reply=reply):
                replies = history.pop()
                history.append(replace(replies, parts=(*replies.parts, reply)))
            case RolledBack(dropped=dropped):
                gone = {*dropped, *(f"{name}_response" for name in dropped)}
                history = [message for message in history if message.id not in gone]
            case HistoryReplaced(messages=messages):
                history = list(messages)
    return history


def gist(messages) -> list[tuple]:
    """What must survive; text beside calls is stored without blanks around it."""
    return [
        (
            message.id,
            message.role,
            text_of(message.parts).strip(),
            [(call.id, call.name, call.args) for call in calls_of(message.parts)],
            [
                (reply.call_id, reply.is_error, "\n".join(p.text for p in reply.parts))
                for reply in replies_of(message.parts)
            ],
        )
        for message in messages
    ]


@pytest.mark.parametrize("log", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_session_comes_back_as_it_was(log: Path, make_journal, warnings):
    envelopes = [decode_envelope(line) for line in log.read_bytes().splitlines()]
    journal = make_journal()
    for envelope in envelopes:
        journal.append(envelope)
    record = journal.load("session")
    assert record is not None
    assert gist(record.messages) == gist(history_of(envelopes))
    assert warnings == []
