"""The `Models` port for services that speak the Gemini API.

It resolves configurations, builds requests, repeats failed connections and reads answers.
An answer that came but cannot be used is handed on as it is: judging it is the loop's work.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from itertools import count
from random import random
from typing import Generic, TypeVar

import msgspec

from gemini_cli.engine.model.catalog import Access, limits_of, nests_media, plain_name, resolve_name
from gemini_cli.engine.model.configs import ConfigKey, ModelConfigs, ResolvedConfig, merged
from gemini_cli.engine.model.retry import Backoff, RetryPolicy
from gemini_cli.engine.model.routing import choose_model
from gemini_cli.engine.model.transport import ModelCall, Transport
from gemini_cli.engine.model.utility import attempts_for, object_in, words
from gemini_cli.engine.model.wire import AnswerReader, contents_to_wire, request_body
from gemini_cli.protocol.errors import InvalidStream, ModelError
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Message, Usage
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

_Result = TypeVar("_Result")
_CHAT_ROLES = ("main", "subagent")


class _Done(msgspec.Struct, Generic[_Result], frozen=True):
    value: _Result


class Answered(msgspec.Struct, frozen=True):
    """One finished request, for statistics."""

    model: str
    role: CallRole
    usage: Usage | None
    latency_ms: int


class GeminiModels:
    """See `protocol.model.Models`. `heard` learns of every utility request that was answered."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        *,
        configs: ModelConfigs | None = None,
        policy: RetryPolicy | None = None,
        access: Access | None = None,
        jitter: Callable[[], float] = random,
        heard: Callable[[Answered], None] | None = None,
        new_id: Callable[[str], str] | None = None,
    ) -> None:
        self.configs = configs or ModelConfigs()
        self._transport = transport
        self._clock = clock
        self._policy = policy or RetryPolicy()
        self._access = access or Access()
        self._jitter = jitter
        self._heard = heard
        self._new_id = new_id or call_ids(clock)

    async def choose(self, view: SessionView) -> ModelChoice:
        return choose_model(view.model, self.configs, self._access)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        config = self._config(
            request.model,
            scope=request.scope,
            is_retry=request.is_retry,
            is_chat=request.role in _CHAT_ROLES,
        )
        body = request_body(
            self._contents(request.contents, config.model),
            merged(config.generation, request.config),
            system=request.system,
            tools=request.tools,
            tool_config=request.tool_config,
            model=config.model,
        )
        if request.role not in _CHAT_ROLES:
            call = ModelCall("generateContent", config.model, body)
            async with aclosing(self._ask_once(call, request.role)) as answers:
                async for answer in answers:
                    yield answer
            return
        call = ModelCall("generateContentStream", config.model, body)
        async with aclosing(self._stream(call)) as items:
            async for item in items:
                yield item

    async def ask(
        self,
        alias: str,
        contents: Sequence[Message],
        *,
        system: str = "",
        schema: JsonObject | None = None,
        role: CallRole = "utility_tool",
    ) -> JsonValue:
        config = self._config(alias)
        wanted: JsonObject = {}
        if schema is not None:
            wanted = {"responseMimeType": "application/json", "responseJsonSchema": schema}
        body = request_body(
            self._contents(contents, config.model),
            merged(config.generation, wanted),
            system=system,
            model=config.model,
        )
        call = ModelCall("generateContent", config.model, body)
        left = attempts_for(role)
        while True:
            async with aclosing(self._ask_once(call, role)) as answers:
                text = words([item async for item in answers if isinstance(item, Chunk)])
            if schema is None:
                return text
            left -= 1
            try:
                return object_in(text, alias, config.model)
            except InvalidStream:
                if not left:
                    raise

    async def count(self, model: str, contents: Sequence[Message]) -> int:
        config = self._config(model, is_chat=True)
        body: JsonObject = {"contents": self._contents(contents, config.model)}
        call = ModelCall("countTokens", config.model, body)
        async with aclosing(
            self._attempts(call.model, lambda: self._transport.once(call))
        ) as steps:
            answers = [step.value async for step in steps if isinstance(step, _Done)]
        total = answers[0].get("totalTokens")
        return total if isinstance(total, int) else 0

    def limits(self, model: str) -> Limits:
        return limits_of(self._config(model, is_chat=True).model)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _config(
        self, model: str, *, scope: str | None = None, is_retry: bool = False, is_chat: bool = False
    ) -> ResolvedConfig:
        """The configuration, with the alias's own settings even where its model is symbolic."""
        name = plain_name(model)
        if not self.configs.knows(name):
            name = resolve_name(name, self._access)
        key = ConfigKey(name, scope=scope, is_retry=is_retry, is_chat=is_chat)
        found = self.configs.resolve(key)
        return msgspec.structs.replace(found, model=resolve_name(found.model, self._access))

    def _contents(self, messages: Sequence[Message], model: str) -> list[JsonObject]:
        return contents_to_wire(messages, nests_media=nests_media(model))

    async def _stream(self, call: ModelCall) -> AsyncGenerator[StreamItem, None]:
        reader = AnswerReader(self._new_id, call.model)
        async with aclosing(
            self._attempts(call.model, lambda: self._transport.open(call))
        ) as steps:
            async for step in steps:
                if isinstance(step, Retried):
                    yield step
                    continue
                async with aclosing(step.value) as pieces:
                    async for piece in pieces:
                        yield reader.chunk(piece)

    async def _ask_once(self, call: ModelCall, role: CallRole) -> AsyncGenerator[StreamItem, None]:
        started = self._clock.monotonic()
        async with aclosing(
            self._attempts(call.model, lambda: self._transport.once(call))
        ) as steps:
            async for step in steps:
                if isinstance(step, Retried):
                    yield step
                    continue
                chunk = AnswerReader(self._new_id, call.model).chunk(step.value)
                if self._heard is not None:
                    latency = round((self._clock.monotonic() - started) * 1000)
                    self._heard(Answered(chunk.model or call.model, role, chunk.usage, latency))
                yield chunk

    async def _attempts(
        self, model: str, send: Callable[[], Awaitable[_Result]]
    ) -> AsyncGenerator["Retried | _Done[_Result]", None]:
        """Announces each wait before it begins, and ends with what was sent for."""
        backoff = Backoff(self._policy, model, self._jitter)
        while True:
            started = self._clock.monotonic()
            try:
                result = await send()
                break
            except ModelError as error:
                retried = backoff.after(error, self._clock.monotonic() - started)
                if retried is None:
                    raise
            yield retried
            await self._clock.sleep(retried.delay_ms / 1000)
        yield _Done(result)


def call_ids(clock: Clock) -> Callable[[str], str]:
    """Makes ids for calls that came without one: `name_<epoch ms>_<counter>`."""
    counter = count()

    def new_id(name: str) -> str:
        moment = datetime.fromisoformat(clock.now())
        return f"{name}_{int(moment.timestamp() * 1000)}_{next(counter)}"

    return new_id
