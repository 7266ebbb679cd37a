"""Reads the answer to a utility question: its words, or the object that was asked for.

Models wrap JSON in fences and sometimes say nothing; both are told apart from an answer.
"""

import re
from collections.abc import Iterable

from gemini_cli.engine.model.reading import read_json
from gemini_cli.protocol.errors import InvalidStream
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import text_of
from gemini_cli.protocol.model import Chunk

_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)

JSON_ATTEMPTS = 5
_FEWER_ATTEMPTS = {"utility_loop_detector": 2, "utility_fast_ack_helper": 1}


def attempts_for(role: str) -> int:
    """How often an unusable answer is asked for again."""
    return _FEWER_ATTEMPTS.get(role, JSON_ATTEMPTS)


def words(chunks: Iterable[Chunk]) -> str:
    """The answer's text without thoughts."""
    return "".join(text_of(chunk.parts) for chunk in chunks)


def object_in(text: str, alias: str, model: str) -> JsonObject:
    """The JSON object in an answer. Raises `InvalidStream` when there is none."""
    text = text.strip()
    fenced = _FENCE.match(text)
    try:
        value = read_json(fenced[1] if fenced else text)
    except ValueError as error:
        raise _unusable(alias, model, "is not JSON" if text else "is empty") from error
    if not isinstance(value, dict):
        raise _unusable(alias, model, "is not an object")
    return value


def _unusable(alias: str, model: str, why: str) -> InvalidStream:
    return InvalidStream(
        f"The answer of {model} to the internal question {alias!r} {why}.",
        problem="UNUSABLE_JSON",
        model=model,
    )
