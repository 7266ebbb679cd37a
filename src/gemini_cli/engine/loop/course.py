"""The only caller of hooks: asks them, passes on what they say, and puts their words in shape.

What a hook wants is returned to whoever asked; acting on it is their business. A hook that
fails is told to the person and changes nothing.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from msgspec.structs import replace

from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.errors import HookProblem
from gemini_cli.protocol.events import Event, Notice
from gemini_cli.protocol.hooks import (
    AfterAgentOutcome,
    AfterModelOutcome,
    AfterToolOutcome,
    BeforeAgentOutcome,
    BeforeModelOutcome,
    BeforeToolOutcome,
    BeforeToolSelectionOutcome,
    EndReason,
    Outcome,
    SessionStartOutcome,
    Trigger,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Call, Text
from gemini_cli.protocol.model import Chunk, ModelRequest
from gemini_cli.protocol.people import Ask
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import ToolResult

_O = TypeVar("_O", bound=Outcome)
SILENT = "[no response text]"
"""What hooks are told when a turn ended without words."""


def wrapped(context: str) -> str:
    """Words of a hook as the model reads them: they cannot close their own wrapping."""
    safe = context.replace("<", "&lt;").replace(">", "&gt;")
    return f"<hook_context>{safe}</hook_context>"


def replaced(chunk: Chunk, stand_in: Chunk) -> Chunk:
    """The hook's chunk, with what it cannot speak of kept from the original."""
    kept = tuple(p for p in chunk.parts if not isinstance(p, Text) and p not in stand_in.parts)
    return replace(
        stand_in,
        parts=stand_in.parts + kept,
        finish=stand_in.finish or chunk.finish,
        usage=stand_in.usage or chunk.usage,
        model=stand_in.model or chunk.model,
        response_id=stand_in.response_id or chunk.response_id,
        citations=stand_in.citations or chunk.citations,
        grounding=stand_in.grounding or chunk.grounding,
    )


class Course:
    """The hooks of a session, for one teller of events."""

    def __init__(self, state: State, publish: Callable[[Event], None]) -> None:
        self._state = state
        self._publish = publish

    async def session_start(self, source: Source) -> SessionStartOutcome:
        """After the session opened."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        return await self._heard(hooks.session_start(ctx, source), SessionStartOutcome())

    async def session_end(self, reason: EndReason) -> Outcome:
        """When the session closes or starts over."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        return await self._heard(hooks.session_end(ctx, reason), Outcome())

    async def before_agent(self, prompt: str) -> BeforeAgentOutcome:
        """Before a prompt is worked on."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        return await self._heard(hooks.before_agent(ctx, prompt), BeforeAgentOutcome())

    async def after_agent(self, prompt: str, response: str, active: bool) -> AfterAgentOutcome:
        """When a turn would end."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        asked = hooks.after_agent(ctx, prompt, response or SILENT, active)
        return await self._heard(asked, AfterAgentOutcome())

    async def before_model(self, request: ModelRequest) -> BeforeModelOutcome:
        """Before each attempt of a request."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        return await self._heard(hooks.before_model(ctx, request), BeforeModelOutcome())

    async def before_tool_selection(self, request: ModelRequest) -> ModelRequest:
        """The request with the tool configuration that hooks want."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        asked = hooks.before_tool_selection(ctx, request)
        outcome = await self._heard(asked, BeforeToolSelectionOutcome())
        if outcome.tool_config is None:
            return request
        return replace(request, tool_config=outcome.tool_config)

    async def after_model(self, request: ModelRequest, chunk: Chunk) -> AfterModelOutcome:
        """For each chunk of an answer."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        return await self._heard(hooks.after_model(ctx, request, chunk), AfterModelOutcome())

    async def before_tool(
        self, call: Call, mcp: JsonObject | None, original: str | None
    ) -> BeforeToolOutcome:
        """Before a call is judged."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        asked = hooks.before_tool(ctx, call, mcp, original)
        return await self._heard(asked, BeforeToolOutcome())

    async def after_tool(
        self, call: Call, result: ToolResult, mcp: JsonObject | None, original: str | None
    ) -> AfterToolOutcome:
        """After a call ran."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        asked = hooks.after_tool(ctx, call, result, mcp, original)
        return await self._heard(asked, AfterToolOutcome())

    async def pre_compress(self, trigger: Trigger) -> None:
        """Before the size of the history is looked at."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        await self._heard(hooks.pre_compress(ctx, trigger), Outcome())

    async def permission_asked(self, ask: Ask, details: JsonObject) -> None:
        """Just before a person is asked about a call."""
        hooks, ctx = self._state.ports.hooks, self._state.hook_context()
        message = ask.message or ask.title
        await self._heard(hooks.notification(ctx, "ToolPermission", message, details), Outcome())

    async def _heard(self, asked: Awaitable[_O], neutral: _O) -> _O:
        """What the hooks want, after telling what they say."""
        try:
            outcome = await asked
        except HookProblem as problem:
            self._publish(Notice("warning", f"A hook failed: {problem}", "hook_failed"))
            return neutral
        for said in outcome.said:
            self._publish(Notice(said.level, said.text, f"hook:{said.hook}"))
        return outcome
