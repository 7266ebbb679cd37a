"""The port of the interceptors: what people's hooks may say at eleven points of a session.

Unlike observers, hooks may change the course. Each event has one outcome type; an outcome
with nothing set means "go on". `loop/course.py` is the only caller.
"""

from typing import Literal, Protocol, TypeAlias

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Call
from gemini_cli.protocol.model import Chunk, ModelRequest
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import TailCalled, ToolResult

EndReason: TypeAlias = Literal["exit", "clear", "logout", "prompt_input_exit", "other"]
Trigger: TypeAlias = Literal["manual", "auto"]


class HookContext(msgspec.Struct, frozen=True):
    """What every hook is told besides its event's own fields."""

    session_id: str
    transcript: str
    """Path of the journal; empty until the session is recorded."""
    cwd: str
    at: str


class Said(msgspec.Struct, frozen=True):
    """A system message of a hook for the person, with the hook that said it."""

    hook: str
    text: str
    level: Literal["info", "warning"] = "info"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What any hook may ask for."""

    stop: str | None = None
    """Reason to end the whole turn."""
    block: str | None = None
    """Reason not to go on with this one thing."""
    said: tuple[Said, ...] = ()


class SessionStartOutcome(Outcome, frozen=True, kw_only=True):
    """After a session began."""

    context: str | None = None


class BeforeAgentOutcome(Outcome, frozen=True, kw_only=True):
    """Before a prompt is worked on."""

    context: str | None = None


class AfterAgentOutcome(Outcome, frozen=True, kw_only=True):
    """When a turn would end; a block demands another step, with the reason as its prompt."""

    clear: bool = False


class BeforeModelOutcome(Outcome, frozen=True, kw_only=True):
    """Before each request."""

    request: ModelRequest | None = None
    response: tuple[Chunk, ...] | None = None
    """An answer that stands in for the model's."""


class BeforeToolSelectionOutcome(Outcome, frozen=True, kw_only=True):
    """Right after `before_model`."""

    tool_config: JsonObject | None = None


class AfterModelOutcome(Outcome, frozen=True, kw_only=True):
    """For each chunk."""

    chunk: Chunk | None = None


class BeforeToolOutcome(Outcome, frozen=True, kw_only=True):
    """Before a call is judged."""

    args: JsonObject | None = None
    """Arguments that replace the model's."""
    ask: str | None = None
    """Reason to ask a person even where the rules would allow."""


class AfterToolOutcome(Outcome, frozen=True, kw_only=True):
    """After a call ran; a block hides the result and says the reason instead."""

    context: str | None = None
    tail: TailCalled | None = None


class Hooks(Protocol):
    """The hooks in force. No method raises: a hook that fails says so in `said`."""

    async def session_start(self, ctx: HookContext, source: Source) -> SessionStartOutcome: ...

    async def session_end(self, ctx: HookContext, reason: EndReason) -> Outcome: ...

    async def before_agent(self, ctx: HookContext, prompt: str) -> BeforeAgentOutcome: ...

    async def after_agent(
        self, ctx: HookContext, prompt: str, response: str, active: bool
    ) -> AfterAgentOutcome: ...

    async def before_model(self, ctx: HookContext, request: ModelRequest) -> BeforeModelOutcome: ...

    async def before_tool_selection(
        self, ctx: HookContext, request: ModelRequest
    ) -> BeforeToolSelectionOutcome: ...

    async def after_model(
        self, ctx: HookContext, request: ModelRequest, chunk: Chunk
    ) -> AfterModelOutcome: ...

    async def before_tool(
        self, ctx: HookContext, call: Call, mcp: JsonObject | None, original: str | None
    ) -> BeforeToolOutcome: ...

    async def after_tool(
        self,
        ctx: HookContext,
        call: Call,
        result: ToolResult,
        mcp: JsonObject | None,
        original: str | None,
    ) -> AfterToolOutcome: ...

    async def pre_compress(self, ctx: HookContext, trigger: Trigger) -> Outcome: ...

    async def notification(
        self, ctx: HookContext, kind: str, message: str, details: JsonObject
    ) -> Outcome: ...
