"""Hooks as a table from event names to outcomes; everything else goes on.

Records which were called, in order, with what they were told.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from gemini_cli.protocol.hooks import (
    AfterAgentOutcome,
    AfterModelOutcome,
    AfterToolOutcome,
    BeforeAgentOutcome,
    BeforeModelOutcome,
    BeforeToolOutcome,
    BeforeToolSelectionOutcome,
    EndReason,
    HookContext,
    Outcome,
    SessionStartOutcome,
    Trigger,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Call
from gemini_cli.protocol.model import Chunk, ModelRequest
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import ToolResult

_O = TypeVar("_O", bound=Outcome)
Wanted: TypeAlias = Outcome | list[Outcome] | Callable[..., Outcome]


class FakeHooks:
    """Implements `Hooks`: `FakeHooks(before_tool=BeforeToolOutcome(block="no"))`.

    A value is an outcome for every time, a list of outcomes for the first times, or a
    function of what the hook is told (without the context).
    """

    def __init__(self, **wanted: Wanted) -> None:
        self.wanted: dict[str, Wanted] = wanted
        self.ran: list[tuple[str, tuple[Any, ...]]] = []

    @property
    def names(self) -> list[str]:
        """The events in the order they were asked about."""
        return [name for name, _ in self.ran]

    def told(self, name: str) -> list[tuple[Any, ...]]:
        """What the hooks of one event were told, each time."""
        return [args for event, args in self.ran if event == name]

    async def session_start(self, ctx: HookContext, source: Source) -> SessionStartOutcome:
        return await self._next("session_start", SessionStartOutcome(), source)

    async def session_end(self, ctx: HookContext, reason: EndReason) -> Outcome:
        return await self._next("session_end", Outcome(), reason)

    async def before_agent(self, ctx: HookContext, prompt: str) -> BeforeAgentOutcome:
        return await self._next("before_agent", BeforeAgentOutcome(), prompt)

    async def after_agent(
        self, ctx: HookContext, prompt: str, response: str, active: bool
    ) -> AfterAgentOutcome:
        return await self._next("after_agent", AfterAgentOutcome(), prompt, response, active)

    async def before_model(self, ctx: HookContext, request: ModelRequest) -> BeforeModelOutcome:
        return await self._next("before_model", BeforeModelOutcome(), request)

    async def before_tool_selection(
        self, ctx: HookContext, request: ModelRequest
    ) -> BeforeToolSelectionOutcome:
        return await self._next("before_tool_selection", BeforeToolSelectionOutcome(), request)

    async def after_model(
        self, ctx: HookContext, request: ModelRequest, chunk: Chunk
    ) -> AfterModelOutcome:
        return await self._next("after_model", AfterModelOutcome(), request, chunk)

    async def before_tool(
        self, ctx: HookContext, call: Call, mcp: JsonObject | None, original: str | None
    ) -> BeforeToolOutcome:
        return await self._next("before_tool", BeforeToolOutcome(), call, mcp, original)

    async def after_tool(
        self,
        ctx: HookContext,
        call: Call,
        result: ToolResult,
        mcp: JsonObject | None,
        original: str | None,
    ) -> AfterToolOutcome:
        return await self._next("after_tool", AfterToolOutcome(), call, result, mcp, original)

    async def pre_compress(self, ctx: HookContext, trigger: Trigger) -> Outcome:
        return await self._next("pre_compress", Outcome(), trigger)

    async def notification(
        self, ctx: HookContext, kind: str, message: str, details: JsonObject
    ) -> Outcome:
        return await self._next("notification", Outcome(), kind, message, details)

    async def _next(self, name: str, neutral: _O, *args: Any) -> _O:
        self.ran.append((name, args))
        await asyncio.sleep(0)
        wanted = self.wanted.get(name)
        if isinstance(wanted, list):
            wanted = wanted.pop(0) if wanted else None
        if callable(wanted):
            wanted = wanted(*args)
        if wanted is None:
            return neutral
        if not isinstance(wanted, type(neutral)):
            raise TypeError(f"{name} wants a {type(neutral).__name__}, not {wanted!r}")
        return wanted
