"""A model that answers from a script and records what it was asked.

One entry of the script answers one request. A request beyond the script fails, so that a
test notices what it did not expect.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TypeAlias

import msgspec

from gemini_cli.protocol.ids import prefixed
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Call, Message, Text, Usage
from gemini_cli.protocol.model import (
    CallRole,
    Chunk,
    Limits,
    ModelChoice,
    ModelRequest,
    Retried,
    StreamItem,
)
from gemini_cli.protocol.session import SessionView


class Stall(msgspec.Struct, frozen=True):
    """The stream hangs here until it is closed."""


Item: TypeAlias = Chunk | Retried | Exception | Stall
Script: TypeAlias = Item | Sequence[Item]

_USAGE = Usage(input=10, output=5, total=15)


def text(words: str, finish: str | None = None) -> Chunk:
    """A piece of the answer."""
    return Chunk((Text(words),), finish)


def thought(words: str) -> Chunk:
    """A piece of thinking."""
    return Chunk((Text(words, thought=True),))


def call(name: str, args: JsonObject | None = None, id: str = "1") -> Chunk:
    """A tool call. Calls of one answer need ids of their own."""
    return Chunk((Call(prefixed(name, id), name, args or {}),))


def error(problem: Exception) -> Exception:
    """The stream fails here."""
    return problem


def retried(attempt: int = 1, delay_ms: int = 1000, model: str = "fake-model") -> Retried:
    """A connection failed behind the port, and another one follows."""
    return Retried(attempt, 10, delay_ms, "overloaded", "overloaded", model, 20, 503)


def stall() -> Stall:
    """The stream hangs here until it is closed."""
    return Stall()


class FakeModels:
    """Implements `Models`. An answer ends with STOP and a usage unless its items say otherwise."""

    def __init__(
        self,
        *script: Script,
        model: str = "fake-model",
        input_tokens: int = 1_000_000,
        finish: str | None = "STOP",
        answers: Sequence[JsonValue] = (),
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.asked: list[str] = []
        self.open = 0
        """Streams that were begun and not ended."""
        self.closed = False
        self._script = [_items(entry) for entry in script]
        self._model = model
        self._limits = Limits(input_tokens)
        self._finish = finish
        self._answers = list(answers)

    def add(self, *script: Script) -> None:
        """More answers, behind those there are."""
        self._script.extend(_items(entry) for entry in script)

    @property
    def left(self) -> int:
        """How many answers nobody has asked for yet."""
        return len(self._script)

    async def choose(self, view: SessionView) -> ModelChoice:
        """Always the same model."""
        await asyncio.sleep(0)
        return ModelChoice(self._model)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """The next entry of the script."""
        self.requests.append(request)
        if not self._script:
            raise AssertionError(f"request {len(self.requests)} is not in the script: {request}")
        items = self._script.pop(0)
        self.open += 1
        try:
            for item in self._ended(items):
                await asyncio.sleep(0)
                match item:
                    case Stall():
                        await asyncio.get_running_loop().create_future()
                    case Exception():
                        raise item
                    case _:
                        yield item
        finally:
            self.open -= 1

    async def ask(
        self,
        alias: str,
        contents: Sequence[Message],
        *,
        system: str = "",
        schema: JsonObject | None = None,
        role: CallRole = "utility_tool",
    ) -> JsonValue:
        """The next of `answers`."""
        self.asked.append(alias)
        await asyncio.sleep(0)
        if not self._answers:
            raise AssertionError(f"nobody scripted an answer to the utility question {alias!r}")
        return self._answers.pop(0)

    async def count(self, model: str, contents: Sequence[Message]) -> int:
        """Ten tokens a message."""
        return 10 * len(contents)

    def limits(self, model: str) -> Limits:
        """The same for every model."""
        return self._limits

    async def aclose(self) -> None:
        """Notes that it was let go."""
        self.closed = True

    def _ended(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items with an ending, where they have none of their own."""
        chunks = [item for item in items if isinstance(item, Chunk)]
        cut = any(isinstance(item, Exception | Stall) for item in items)
        if cut or self._finish is None or any(chunk.finish for chunk in chunks):
            return items
        return [*items, Chunk(finish=self._finish, usage=_USAGE, model=self._model)]


def _items(entry: Script) -> Sequence[Item]:
    return [entry] if isinstance(entry, Item) else entry
