"""The `Models` port for services that speak the Gemini API.

It resolves configurations, builds requests, repeats failed connections and reads answers.
An answer that came but cannot be used is handed on as it is: judging it is the loop's work.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from itertools import count
from random import random

import msgspec

from gemini_cli.engine.model.attempts import attempts
from gemini_cli.engine.model.catalog import Access, limits_of, nests_media, plain_name, resolve_name
from gemini_cli.engine.model.configs import ConfigKey, ModelConfigs, ResolvedConfig, merged
from gemini_cli.engine.model.endpoints import Method
from gemini_cli.engine.model.fallback import ATTEMPTS_BEFORE_FALLBACK, Fallbacks
from gemini_cli.engine.model.report import Reports
from gemini_cli.engine.model.retry import Backoff, RetryPolicy
from gemini_cli.engine.model.routing import choose_model
from gemini_cli.engine.model.tokens import estimate_messages
from gemini_cli.engine.model.transport import ModelCall, Transport
from gemini_cli.engine.model.utility import attempts_for, object_in, words
from gemini_cli.engine.model.wire import MEDIA, AnswerReader, contents_to_wire, request_body
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

_CHAT_ROLES = ("main", "subagent")


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
        reports: Reports | None = None,
    ) -> None:
        self.configs = configs or ModelConfigs()
        self._transport = transport
        self._clock = clock
        self._policy = policy or RetryPolicy()
        self._access = access or Access()
        self._jitter = jitter
        self._heard = heard
        self._new_id = new_id or call_ids(clock)
        self._reports = reports or Reports(None, clock)
        self._fallbacks = Fallbacks(clock.monotonic)

    async def choose(self, view: SessionView) -> ModelChoice:
        return choose_model(view.model, view.prompt_id, self._access, self._fallbacks)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        if request.role in _CHAT_ROLES:
            items = self._chat(request)
        else:
            call = self._call("generateContent", request, request.model)
            items = self._whole(call, request.role)
        async with aclosing(items):
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
            async with aclosing(self._whole(call, role)) as items:
                text = words([item async for item in items if isinstance(item, Chunk)])
            if schema is None:
                return text
            left -= 1
            try:
                return object_in(text, alias, config.model)
            except InvalidStream:
                if not left:
                    raise

    async def count(self, model: str, contents: Sequence[Message]) -> int:
        """Media are counted by the service, asked once and in no hurry; words are guessed."""
        config = self._config(model, is_chat=True)
        turns = self._contents(contents, config.model)
        if not any(MEDIA & part.keys() for turn in turns for part in turn["parts"]):
            return estimate_messages(contents)
        answer = await self._transport.once(
            ModelCall("countTokens", config.model, {"contents": turns})
        )
        total = answer.get("totalTokens")
        return total if isinstance(total, int) else estimate_messages(contents)

    def limits(self, model: str) -> Limits:
        return limits_of(self._config(model, is_chat=True).model)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _call(self, method: Method, request: ModelRequest, model: str) -> ModelCall:
        """The request as it goes to this model."""
        config = self._config(
            model,
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
        return ModelCall(method, config.model, body)

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

    async def _chat(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """The answer of the model asked for or, where it may be replaced, of the next."""
        model = request.model
        while True:
            answered, attempt = False, 1
            async with aclosing(self._pieces(request, model)) as items:
                try:
                    async for item in items:
                        answered = answered or isinstance(item, Chunk)
                        attempt += isinstance(item, Retried)
                        yield item
                    self._fallbacks.answered(model)
                    return
                except ModelError as error:
                    if answered:
                        raise
                    following = self._fallbacks.after(request.prompt_id, model, error)
                    if following is None:
                        raise
                    switched = _switched(error, attempt, model, following)
            yield switched
            model = following

    async def _pieces(self, request: ModelRequest, model: str) -> AsyncGenerator[StreamItem, None]:
        call = self._call("generateContentStream", request, model)
        reader = AnswerReader(self._new_id, call.model)
        policy = self._policy
        if self._fallbacks.has_next(request.prompt_id, model):
            policy = policy.at_most(ATTEMPTS_BEFORE_FALLBACK)
        backoff = Backoff(policy, call.model, self._jitter)
        steps = attempts(lambda: _begun(self._transport, call), backoff, self._clock)
        with self._reports.of(call):
            async with aclosing(steps):
                async for step in steps:
                    if isinstance(step, Retried):
                        yield step
                        continue
                    first, rest = step.value
                    async with aclosing(rest):
                        if first is not None:
                            yield reader.chunk(first)
                        async for piece in rest:
                            yield reader.chunk(piece)

    async def _whole(self, call: ModelCall, role: CallRole) -> AsyncGenerator[StreamItem, None]:
        """An answer that comes all at once, as one chunk."""
        started = self._clock.monotonic()
        async with aclosing(self._answers(call)) as items:
            async for item in items:
                if isinstance(item, Retried):
                    yield item
                    continue
                chunk = AnswerReader(self._new_id, call.model).chunk(item)
                if self._heard is not None:
                    latency = round((self._clock.monotonic() - started) * 1000)
                    self._heard(Answered(chunk.model or call.model, role, chunk.usage, latency))
                yield chunk

    async def _answers(self, call: ModelCall) -> AsyncGenerator[Retried | JsonObject, None]:
        backoff = Backoff(self._policy, call.model, self._jitter)
        steps = attempts(lambda: self._transport.once(call), backoff, self._clock)
        with self._reports.of(call):
            async with aclosing(steps):
                async for step in steps:
                    yield step if isinstance(step, Retried) else step.value


async def _begun(
    transport: Transport, call: ModelCall
) -> tuple[JsonObject | None, AsyncGenerator[JsonObject, None]]:
    """The first piece and the rest. Until there is one, a failure is one of connecting."""
    pieces = await transport.open(call)
    return await anext(pieces, None), pieces


def _switched(error: ModelError, attempt: int, model: str, following: str) -> Retried:
    """Announces that another model takes over, without a wait."""
    return Retried(
        attempt=attempt,
        max_attempts=attempt,
        delay_ms=0,
        error=f"{error} {following} takes over.",
        error_kind=error.kind,
        model=model,
        status=error.status,
    )


def call_ids(clock: Clock) -> Callable[[str], str]:
    """Makes ids for calls that came without one: `name_<epoch ms>_<counter>`."""
    counter = count()

    def new_id(name: str) -> str:
        moment = datetime.fromisoformat(clock.now())
        return f"{name}_{int(moment.timestamp() * 1000)}_{next(counter)}"

    return new_id
