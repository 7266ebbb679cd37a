"""Output objects as JSON bytes, also where a file name or an argument is no valid text.

It never fails: what cannot be written as UTF-8 becomes a question mark.
"""

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


def encoded(item: JsonObject) -> bytes:
    """The object in one line."""
    try:
        return msgspec.json.encode(item)
    except UnicodeEncodeError:
        return msgspec.json.encode(_writable(item))


def _writable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {str(_writable(key)): _writable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_writable(inner) for inner in value]
    return value
