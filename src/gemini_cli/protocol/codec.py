"""Envelopes, ops and messages to JSON and back, losing nothing.

What this version does not know survives: an event of an unknown kind or shape becomes
`Unknown`, such a part becomes `Opaque`, and both are written out exactly as they came.
"""

from typing import TypeVar

import msgspec

from gemini_cli.protocol.events import Envelope, Event, Unknown
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Message, Part
from gemini_cli.protocol.ops import Op

_FREE = frozenset({"raw", "args", "attrs", "changes", "content", "schema"})
"""Fields that hold anybody's JSON: what looks like ours in there is not."""

_T = TypeVar("_T")


def encode(value: Envelope | Message | Op | Event) -> bytes:
    """One line of compact JSON."""
    return msgspec.json.encode(_unwrapped(msgspec.to_builtins(value)))


def decode_envelope(data: bytes | str) -> Envelope:
    """Reads what `encode` wrote, or what a newer version wrote. Raises `ValueError`."""
    raw = _read(data)
    if not isinstance(raw, dict) or not isinstance(raw.get("event"), dict):
        raise ValueError("an envelope is an object with an `event` object")
    event = raw["event"]
    hollow = msgspec.convert({**raw, "event": {"type": "Unknown", "raw": {}}}, Envelope)
    return msgspec.structs.replace(hollow, event=_event(event))


def decode_message(data: bytes | str) -> Message:
    """Reads a message. Raises `ValueError` for anything that is not one."""
    return msgspec.convert(_wrapped(_read(data)), Message)


def decode_op(data: bytes | str) -> Op:
    """Reads an op. Raises `ValueError` for one we do not know: nobody could act on it."""
    return _convert(_wrapped(_read(data)), Op)  # type: ignore[arg-type]


def _read(data: bytes | str) -> JsonValue:
    try:
        return msgspec.json.decode(data)
    except RecursionError as problem:
        raise ValueError("this JSON is nested too deep to be read") from problem


def _convert(raw: JsonValue, kind: type[_T]) -> _T:
    return msgspec.convert(raw, kind)


def _event(raw: JsonObject) -> Event:
    if raw.get("type") == "Unknown":  # or its own fields would be taken for our wrapping
        return Unknown(raw)
    try:
        return _convert(_wrapped(raw), Event)  # type: ignore[arg-type]
    except (msgspec.ValidationError, RecursionError):
        return Unknown(raw)


def _wrapped(value: JsonValue) -> JsonValue:
    """Puts parts we cannot read into `Opaque`, wherever a `parts` list stands."""
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: [_readable(part) for part in item]
        if key == "parts" and isinstance(item, list)
        else (item if key in _FREE else _wrapped(item))
        for key, item in value.items()
    }


def _readable(part: JsonValue) -> JsonValue:
    """The part, if it is one of ours in every field; else the whole of it as an opaque one."""
    wrapped = _ours(part)
    return {"type": "Opaque", "raw": part} if wrapped is None else wrapped


def _ours(part: JsonValue) -> JsonValue:
    """The part with what is unknown in it wrapped; None where we cannot read it even then."""
    try:
        wrapped = _wrapped(part)
        _convert(wrapped, Part)  # type: ignore[arg-type]
    except (msgspec.ValidationError, RecursionError):
        return None
    return wrapped


def _unwrapped(value: JsonValue) -> JsonValue:
    """The reverse: what came in unknown goes out as it came."""
    if isinstance(value, list | tuple):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "Unknown" and set(value) == {"type", "raw"}:
        return value["raw"]
    if value.get("type") == "Opaque" and set(value) == {"type", "raw"}:
        return value["raw"] if _ours(value["raw"]) is None else value
    return {key: item if key in _FREE else _unwrapped(item) for key, item in value.items()}
