"""Envelopes, ops and messages to JSON and back, losing nothing.

Kinds that this version does not know survive: an unknown event becomes `Unknown`, an
unknown part becomes `Opaque`, and both are written out again exactly as they came.
"""

from typing import TypeVar

import msgspec

from gemini_cli.protocol.events import Envelope, Event, Unknown
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Message
from gemini_cli.protocol.ops import Op

_PART_TAGS = frozenset({"Text", "Blob", "Call", "Reply", "Opaque"})
_T = TypeVar("_T")


def encode(value: Envelope | Message | Op | Event) -> bytes:
    """One line of compact JSON."""
    return msgspec.json.encode(_unwrapped(msgspec.to_builtins(value)))


def decode_envelope(data: bytes | str) -> Envelope:
    """Reads what `encode` wrote, or what a newer version wrote. Raises `ValueError`."""
    raw = msgspec.json.decode(data)
    if not isinstance(raw, dict) or not isinstance(raw.get("event"), dict):
        raise ValueError("an envelope is an object with an `event` object")
    event = raw["event"]
    hollow = msgspec.convert({**raw, "event": {"type": "Unknown", "raw": {}}}, Envelope)
    return msgspec.structs.replace(hollow, event=_event(event))


def decode_message(data: bytes | str) -> Message:
    """Reads a message. Raises `ValueError` for anything that is not one."""
    return msgspec.convert(_wrapped(msgspec.json.decode(data)), Message)


def decode_op(data: bytes | str) -> Op:
    """Reads an op. Raises `ValueError` for one we do not know: nobody could act on it."""
    return _convert(_wrapped(msgspec.json.decode(data)), Op)  # type: ignore[arg-type]


def _convert(raw: JsonValue, kind: type[_T]) -> _T:
    return msgspec.convert(raw, kind)


def _event(raw: JsonObject) -> Event:
    try:
        return _convert(_wrapped(raw), Event)  # type: ignore[arg-type]
    except msgspec.ValidationError:
        return Unknown(raw)


def _wrapped(value: JsonValue) -> JsonValue:
    """Puts unknown parts into `Opaque`, wherever a `parts` list stands."""
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: [_opaque(item) for item in item_list]
        if key == "parts" and isinstance(item_list, list)
        else (item_list if key in ("raw", "args") else _wrapped(item_list))
        for key, item_list in value.items()
    }


def _opaque(part: JsonValue) -> JsonValue:
    if isinstance(part, dict) and part.get("type") not in _PART_TAGS:
        return {"type": "Opaque", "raw": part}
    return _wrapped(part)


def _unwrapped(value: JsonValue) -> JsonValue:
    """The reverse: what came in unknown goes out as it came."""
    if isinstance(value, list | tuple):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "Unknown" and set(value) == {"type", "raw"}:
        return value["raw"]
    if value.get("type") == "Opaque" and set(value) == {"type", "raw"}:
        raw = value["raw"]
        known = isinstance(raw, dict) and raw.get("type") in _PART_TAGS
        return value if known else raw
    return {
        key: item if key in ("raw", "args") else _unwrapped(item) for key, item in value.items()
    }
