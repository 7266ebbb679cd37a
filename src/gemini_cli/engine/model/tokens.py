"""Guesses how many tokens parts are, without asking anybody.

Good to a fifth or so for prose and code; the service's own count of the last request is
always the better number. Fast enough to walk a history before each step.
"""

from collections.abc import Iterable, Sequence

import msgspec

from gemini_cli.engine.model.wire.parts import call_to_wire
from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.protocol.messages import Blob, Call, Message, Opaque, Part, Reply, Text

_ASCII = 0.25
_OTHER = 1.5
_LONG = 100_000
_IMAGE = 3000
_PDF = 25_800


def estimate_tokens(parts: Iterable[Part]) -> int:
    """A whole number, rounded down over all parts together."""
    return int(sum(_part(part) for part in parts))


def estimate_messages(messages: Sequence[Message]) -> int:
    """The same over a history."""
    return int(sum(_part(part) for message in messages for part in message.parts))


def estimate_text(text: str) -> float:
    """A quarter per ASCII character, one and a half for any other UTF-16 unit."""
    if text.isascii():
        return len(text) * _ASCII
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if units > _LONG:
        return units / 4
    plain = len(text.encode("ascii", "ignore"))
    return plain * _ASCII + (units - plain) * _OTHER


def _part(part: Part) -> float:
    match part:
        case Text():
            return estimate_text(part.text)
        case Blob():
            return _blob(part)
        case Call():
            return _json(call_to_wire(part)) / 4
        case Reply():
            return _reply(part)
        case Opaque():
            return _json(part.raw) / 4


def _reply(reply: Reply) -> float:
    text = "\n".join(part.text for part in reply.parts if isinstance(part, Text))
    length = len(reply.name) + _json({"error" if reply.is_error else "output": text})
    return length / 4 + sum(_blob(part) for part in reply.parts if isinstance(part, Blob))


def _blob(blob: Blob) -> float:
    if blob.mime.startswith("image/"):
        return _IMAGE
    if blob.mime == "application/pdf":
        return _PDF
    return (len(blob.data or b"") * 4 / 3 + len(blob.uri or "") + len(blob.mime) + 40) / 4


def _json(value: JsonValue) -> int:
    try:
        return len(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return len(str(value))
