"""Reads JSON that others wrote: as it should be first, then as forgivingly as a browser would.

Bytes that are no UTF-8, half characters, bare control characters, NaN and numbers beyond all
bounds do not make an answer worthless. What is no JSON at all, or nested beyond reason, is a
`ValueError`.
"""

import json
from math import isfinite

import msgspec

from gemini_cli.protocol.jsonvalue import JsonValue

_decode = msgspec.json.Decoder().decode


def read_json(data: bytes | bytearray | str) -> JsonValue:
    """The value. Raises `ValueError`."""
    try:
        return _decode(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    try:
        value = json.loads(text, strict=False, parse_constant=lambda _: None, parse_float=_finite)
        return whole_characters(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def whole_characters(value: JsonValue) -> JsonValue:
    """The value with pairs of half characters joined and lone ones replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole_characters(k): whole_characters(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [whole_characters(item) for item in value]
    return value


def _finite(text: str) -> float | None:
    number = float(text)
    return number if isfinite(number) else None
