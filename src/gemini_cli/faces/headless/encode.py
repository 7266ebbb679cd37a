"""Output objects as JSON bytes, also where a file name or an argument is no valid text.

It never fails: what cannot be written as UTF-8 becomes a question mark. Control characters
are spelled out, also those (0x7f to 0x9f) that JSON would let through to a terminal.
"""

import re

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_CONTROL = re.compile(rb"\x7f|\xc2([\x80-\x9f])")


def encoded(item: JsonObject) -> bytes:
    """The object in one line."""
    try:
        line = msgspec.json.encode(item)
    except UnicodeEncodeError:
        line = msgspec.json.encode(_writable(item))
    return _CONTROL.sub(_spelled, line)


def _spelled(found: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(found[1] or found[0])


def _writable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {str(_writable(key)): _writable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_writable(inner) for inner in value]
    return value
