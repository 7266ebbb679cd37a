"""Wires the hooks: none yet, so every event goes on as it is.

`NoHooks` is also what a session gets when `hooksConfig.enabled` is false.
"""

from gemini_cli.app.wire.part import Opening
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
    Hooks,
    Outcome,
    SessionStartOutcome,
    Trigger,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Call
from gemini_cli.protocol.model import Chunk, ModelRequest
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import ToolResult


def build_hooks(opening: Opening) -> Hooks:
    """The hooks of one session."""
    return NoHooks()


class NoHooks:
    """Nobody interferes."""

    async def session_start(self, ctx: HookContext, source: Source) -> SessionStartOutcome:
        return SessionStartOutcome()

    async def session_end(self, ctx: HookContext, reason: EndReason) -> Outcome:
        return Outcome()

    async def before_agent(self, ctx: HookContext, prompt: str) -> BeforeAgentOutcome:
        return BeforeAgentOutcome()

    async def after_agent(
        self, ctx: HookContext, prompt: str, response: str, active: bool
    ) -> AfterAgentOutcome:
        return AfterAgentOutcome()

    async def before_model(self, ctx: HookContext, request: ModelRequest) -> BeforeModelOutcome:
        return BeforeModelOutcome()

    async def before_tool_selection(
        self, ctx: HookContext, request: ModelRequest
    ) -> BeforeToolSelectionOutcome:
        return BeforeToolSelectionOutcome()

    async def after_model(
        self, ctx: HookContext, request: ModelRequest, chunk: Chunk
    ) -> AfterModelOutcome:
        return AfterModelOutcome()

    async def before_tool(
        self, ctx: HookContext, call: Call, mcp: JsonObject | None, original: str | None
    ) -> BeforeToolOutcome:
        return BeforeToolOutcome()

    async def after_tool(
        self,
        ctx: HookContext,
        call: Call,
        result: ToolResult,
        mcp: JsonObject | None,
        original: str | None,
    ) -> AfterToolOutcome:
        return AfterToolOutcome()

    async def pre_compress(self, ctx: HookContext, trigger: Trigger) -> Outcome:
        return Outcome()

    async def notification(
        self, ctx: HookContext, kind: str, message: str, details: JsonObject
    ) -> Outcome:
        return Outcome()
