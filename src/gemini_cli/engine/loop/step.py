"""One model request and its answer, repeated while the answer cannot be used.

It commits a good answer to the history and leaves everything else as it was. Connections
are repeated behind the port; calls are run by `calls`; when the turn ends is `turn`'s
business.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from msgspec.structs import replace

from gemini_cli.engine.loop.answer import NUDGED, Draft, meaning
from gemini_cli.engine.loop.course import Course, replaced
from gemini_cli.engine.loop.over import Over
from gemini_cli.engine.loop.request import build, fits, nudged
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.errors import (
    InvalidStream,
    ModelError,
    Offline,
    Overloaded,
    RateLimited,
    Stalled,
    Unavailable,
)
from gemini_cli.protocol.events import (
    CitationsGiven,
    End,
    Event,
    ModelReplied,
    Problem,
    Retrying,
    TextDelta,
    UsageReported,
)
from gemini_cli.protocol.messages import Message, Usage
from gemini_cli.protocol.model import Chunk, ModelRequest, Retried, StreamItem
from gemini_cli.protocol.ports import Guard

_PASSING = (RateLimited, Overloaded, Unavailable, Offline, Stalled)
"""What may be better a moment later, when it strikes in the middle of an answer."""


class _Tripped(Exception):
    """A guard wants no more of this answer."""


class Step:
    """One step of a turn."""

    def __init__(
        self,
        state: State,
        course: Course,
        guards: Sequence[Guard],
        publish: Callable[[Event], None],
        watch: Callable[[Event], None],
    ) -> None:
        self._state = state
        self._course = course
        self._guards = guards
        self._publish = publish
        self._watch = watch
        """Shows an event to the guards before it is told."""
        self._since = 0.0
        self._asked = ""

    async def run(self) -> Message | None:
        """The committed answer, or None when a guard broke it off. Raises `Over`."""
        state = self._state
        await self._course.pre_compress("auto")
        request = await build(state)
        if not await fits(state, request):
            text = "The prompt does not fit what is left of the model's context window."
            raise Over(End.OVERFLOW, text, Problem("context_overflow", f"{text} Try /compress."))
        after_tools = state.history.ends_with_replies
        state.steps += 1
        state.turn_steps += 1
        attempt = 1
        while True:
            draft = Draft(state.history.has_call)
            try:
                await self._attempt(request, draft)
                if problem := draft.problem(after_tools=after_tools):
                    raise InvalidStream(meaning(problem), problem=problem)
                return self._kept(draft)
            except _Tripped:
                self._used(draft)
                return None
            except ModelError as error:
                self._used(draft, _failure(error), error.model)
                if not self._worth_repeating(error, draft, attempt):
                    raise
                request = await self._again(request, error, attempt)
                attempt += 1
            except asyncio.CancelledError:
                self._used(draft, "cancelled")
                raise
            except Exception as error:
                self._used(draft, type(error).__name__)
                raise

    async def _attempt(self, request: ModelRequest, draft: Draft) -> None:
        """Asks once and collects the answer."""
        outcome = await self._course.before_model(request)
        if outcome.stop is not None:
            raise Over(End.STOPPED, outcome.stop)
        request = outcome.request or request
        if outcome.response is None:
            if outcome.block is not None:
                raise Over(End.BLOCKED, outcome.block)
            request = await self._course.before_tool_selection(request)
        self._asked, self._since = request.model, self._now()
        canned = outcome.response
        source = _canned(canned) if canned is not None else self._state.ports.models.stream(request)
        if canned is not None:
            self._asked = ""
        async with aclosing(source) as stream:
            async for item in stream:
                if isinstance(item, Retried):
                    self._repeated(item)
                else:
                    await self._take(request, item, draft)
        if canned is not None and draft.finish is None:
            draft.finish = "STOP"

    async def _take(self, request: ModelRequest, chunk: Chunk, draft: Draft) -> None:
        """Shows and collects one chunk, after the hooks have seen it."""
        outcome = await self._course.after_model(request, chunk)
        if outcome.stop is not None:
            self._broken_off(draft)
            raise Over(End.STOPPED, outcome.stop)
        if outcome.chunk is not None:
            chunk = replaced(chunk, outcome.chunk)
        for part in draft.add(chunk):
            self._publish(TextDelta(part.text, part.thought))
        if outcome.block is not None:
            self._broken_off(draft)
            raise Over(End.BLOCKED, outcome.block)
        if any(guard.tripped() for guard in self._guards):
            raise _Tripped

    def _kept(self, draft: Draft) -> Message:
        """Commits a good answer; nothing awaits between here and the history."""
        state = self._state
        made = state.message("model", draft.parts(), "model")
        message = replace(
            made, model=draft.model or self._asked or state.announced, usage=draft.usage
        )
        replied = ModelReplied(message, draft.finish)
        self._watch(replied)
        if any(guard.tripped() for guard in self._guards):
            raise _Tripped
        state.history.commit(message)
        if draft.usage is not None:
            state.prompt_tokens = draft.usage.input
        state.publish(replied, state.turn_id)  # the guards have seen it already
        self._used(draft)
        if draft.citations:
            self._publish(CitationsGiven(draft.citations))
        return message

    def _broken_off(self, draft: Draft) -> None:
        """Keeps the words a person has seen of an answer that hooks ended."""
        self._used(draft)
        if draft.text().strip():
            state = self._state
            made = state.message("model", draft.words(), "model")
            message = replace(made, model=draft.model or state.announced, usage=draft.usage)
            state.history.commit(message)
            self._publish(ModelReplied(message, draft.finish))

    def _worth_repeating(self, error: ModelError, draft: Draft, attempt: int) -> bool:
        if attempt >= self._state.limits.attempts:
            return False
        if isinstance(error, InvalidStream):
            return True
        return draft.started and isinstance(error, _PASSING)

    async def _again(self, request: ModelRequest, error: ModelError, attempt: int) -> ModelRequest:
        """Announces the repetition, waits, and returns the request to repeat."""
        limits = self._state.limits
        delay = limits.wait(attempt)
        retrying = Retrying(
            attempt=attempt,
            max_attempts=limits.attempts,
            delay_ms=round(delay * 1000),
            error=str(error),
            model=error.model or request.model,
            reason="stream",
        )
        self._publish(retrying)
        await self._state.ports.clock.sleep(delay)
        if isinstance(error, InvalidStream) and error.problem in NUDGED:
            request = nudged(self._state, request)
        return replace(request, is_retry=True)

    def _repeated(self, item: Retried) -> None:
        """Counts a connection that failed and tells that another follows."""
        role = self._state.role
        self._publish(
            UsageReported(item.model, Usage(), role, item.latency_ms, error_kind=item.error_kind)
        )
        self._publish(
            Retrying(item.attempt, item.max_attempts, item.delay_ms, item.error, item.model)
        )
        self._since = self._now() + item.delay_ms / 1000

    def _used(self, draft: Draft, error_kind: str | None = None, model: str | None = None) -> None:
        """Reports what a request cost, once; nothing where none was made.

        `model` is the one that failed, which another may have given way to on the way.
        """
        if not self._asked:
            return
        model, self._asked = draft.model or model or self._asked, ""
        latency = max(0, round((self._now() - self._since) * 1000))
        usage = draft.usage or Usage()
        event = UsageReported(model, usage, self._state.role, latency, error_kind=error_kind)
        self._publish(event)

    def _now(self) -> float:
        return self._state.ports.clock.monotonic()


def _failure(error: ModelError) -> str | None:
    """What went wrong with the request; nothing where an answer came and is merely of no use."""
    return None if isinstance(error, InvalidStream) else error.kind


async def _canned(chunks: tuple[Chunk, ...]) -> AsyncGenerator[StreamItem, None]:
    for chunk in chunks:
        yield chunk
