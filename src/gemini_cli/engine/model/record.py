"""Answers from a file instead of a service, and files made from a service's answers.

One JSON object per line, `{"method": …, "response": …}`. Both stand where the network
would, so requests are built and answers read exactly as always. A recording holds answers
only, never a prompt or a header.
"""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import msgspec

from gemini_cli.engine.model.errors import error_in_stream
from gemini_cli.engine.model.reading import read_json
from gemini_cli.engine.model.transport import ModelCall, Transport
from gemini_cli.engine.model.wire import name_calls
from gemini_cli.protocol.errors import BadRequest, InputError
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

STRICT_FLAG = "--fake-responses"
LOOSE_FLAG = "--fake-responses-non-strict"
RECORD_FLAG = "--record-responses"
_KEPT = ("candidates", "usageMetadata")
_KEPT_COUNT = ("totalTokens", "cachedContentTokenCount")


class _Line(msgspec.Struct, frozen=True):
    number: int
    method: str
    response: JsonValue


class FakeTransport:
    """Plays a file. Strict: line *n* answers call *n*, whatever it is asked for."""

    def __init__(self, file: Path, *, strict: bool) -> None:
        self._file = file
        self._strict = strict
        self._flag = STRICT_FLAG if strict else LOOSE_FLAG
        self._lines = self._read()

    async def open(self, call: ModelCall) -> AsyncGenerator[JsonObject, None]:
        line = self._next(call)
        pieces = line.response if isinstance(line.response, list) else [line.response]
        return self._play(pieces, line, call.model)

    async def once(self, call: ModelCall) -> JsonObject:
        line = self._next(call)
        return self._sound(line.response, line, call.model)

    async def aclose(self) -> None:
        """Nothing is open."""

    async def _play(
        self, pieces: list[JsonValue], line: _Line, model: str
    ) -> AsyncGenerator[JsonObject, None]:
        for piece in pieces:
            yield self._sound(piece, line, model)

    def _next(self, call: ModelCall) -> _Line:
        matching = [line for line in self._lines if self._strict or line.method == call.method]
        if not matching:
            raise BadRequest(
                f"{self._flag}: {self._file} holds no more answers for {call.method}.",
                model=call.model,
            )
        line = matching[0]
        self._lines.remove(line)
        if line.method != call.method:
            raise BadRequest(
                f"{self._flag}: {self._file}, line {line.number} answers {line.method}, but "
                f"{call.method} was called.",
                model=call.model,
            )
        return line

    def _sound(self, piece: JsonValue, line: _Line, model: str) -> JsonObject:
        if not isinstance(piece, dict):
            raise BadRequest(
                f"{self._flag}: {self._file}, line {line.number}: the response of {line.method} "
                "must be made of objects.",
                model=model,
            )
        error = error_in_stream(piece, model)
        if error is not None:
            raise error
        return piece

    def _read(self) -> list[_Line]:
        try:
            text = self._file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self._flag}: {self._file} cannot be read ({error}).") from error
        # Only line feeds: strings in JSON may hold every other kind of line break.
        numbered = enumerate(text.split("\n"), 1)
        return [self._line(number, line) for number, line in numbered if line.strip()]

    def _line(self, number: int, text: str) -> _Line:
        try:
            value = read_json(text)
        except ValueError as error:
            raise InputError(
                f"{self._flag}: {self._file}, line {number} is not JSON ({error})."
            ) from error
        if not isinstance(value, dict) or not isinstance(value.get("method"), str):
            raise InputError(f'{self._flag}: {self._file}, line {number} lacks a "method".')
        if "response" not in value:
            raise InputError(f'{self._flag}: {self._file}, line {number} lacks a "response".')
        return _Line(number, value["method"], value["response"])


class RecordingTransport:
    """Hands calls on and appends each finished answer to a file."""

    def __init__(self, inner: Transport, file: Path, new_id: Callable[[str], str]) -> None:
        self._inner = inner
        self._file = file
        self._new_id = new_id

    async def open(self, call: ModelCall) -> AsyncGenerator[JsonObject, None]:
        return self._listen(await self._inner.open(call), call)

    async def once(self, call: ModelCall) -> JsonObject:
        answer = name_calls(await self._inner.once(call), self._new_id)
        kept = _KEPT_COUNT if call.method == "countTokens" else _KEPT
        self._append(call, _only(answer, kept))
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _listen(
        self, pieces: AsyncGenerator[JsonObject, None], call: ModelCall
    ) -> AsyncGenerator[JsonObject, None]:
        heard: list[JsonObject] = []
        async with aclosing(pieces):
            async for piece in pieces:
                named = name_calls(piece, self._new_id)
                heard.append(_only(named, _KEPT))
                yield named
        self._append(call, heard)

    def _append(self, call: ModelCall, response: JsonValue) -> None:
        line = msgspec.json.encode({"method": call.method, "response": response})
        try:
            with open(self._file, "ab", opener=_private) as file:
                file.write(line + b"\n")
        except OSError as error:
            raise InputError(f"{RECORD_FLAG}: {self._file} cannot be written ({error}).") from error


def _private(path: str, flags: int) -> int:
    """A new recording is for its owner: answers quote files and outputs."""
    return os.open(path, flags, 0o600)


def _only(answer: JsonObject, keys: tuple[str, ...]) -> JsonObject:
    return {key: answer[key] for key in keys if key in answer}
