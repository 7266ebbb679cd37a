"""One tool call on its way from the model's wish to its reply.

Holds what is known of it and tells its state; what happens to it is decided in `gate` and
`calls`.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from gemini_cli.engine.loop.bounds import spoken
from gemini_cli.engine.loop.readable import readable, readable_display
from gemini_cli.protocol.display import Display, EditPreview, Location, Preview
from gemini_cli.protocol.events import CallState, Event, ToolChanged, ToolFinished, ToolProgress
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Blob, Call, Reply, Text
from gemini_cli.protocol.people import Answer
from gemini_cli.protocol.tools import (
    AgentEnded,
    Effect,
    Invocation,
    TailCalled,
    Tool,
    ToolContext,
    ToolResult,
)

_CANCELLED = "[Operation Cancelled] Reason: "
Decision: TypeAlias = Literal["accept", "reject", "modify", "auto_accept"]
WAIT_FLAG = "wait_for_previous"


class CallRun:
    """The state of one call. `call` stays as the model asked for it."""

    def __init__(self, call: Call, publish: Callable[[Event], None], now: float) -> None:
        self.call = call
        self.name = call.name
        self.args: JsonObject = call.args
        self.original: str | None = None
        self.tool: Tool | None = None
        self.invocation: Invocation | None = None
        self.title = ""
        self.kind = "other"
        self.display_name = ""
        self.parallel = True
        self.locations: tuple[Location, ...] = ()
        self.ctx: ToolContext | None = None
        self.answer: Answer | None = None
        self.preview: Preview | None = None
        self.started = now
        self.duration_ms = 0
        self.status: CallState = CallState.VALIDATING
        self.result: ToolResult | None = None
        self.reply: Reply | None = None
        self.media: tuple[Blob, ...] = ()
        self.decision: Decision | None = None
        self.notes: list[str] = []
        self.stop: str | None = None
        self.declined = False
        self.tails = 0
        self.finished = False
        self._shown: Display | None = None
        self._publish = publish

    @property
    def now_called(self) -> Call:
        """The call as it stands: after hooks, edits and tail calls."""
        return Call(self.call.id, self.name, self.args)

    def takes(self, tool: Tool | None) -> None:
        """Starts over with this tool, not yet prepared."""
        self.tool, self.invocation = tool, None
        self.title, self.locations = "", ()
        self.kind, self.display_name, self.parallel = (
            (tool.kind, tool.display_name, tool.parallel) if tool else ("other", "", True)
        )

    def becomes(self, invocation: Invocation) -> None:
        """Is prepared now. What a person sees of it is read here, once."""
        title, kind, locations = invocation.title, invocation.kind, invocation.locations
        self.invocation = invocation
        self.title, self.kind, self.locations = readable(title), kind, locations

    @property
    def settled(self) -> bool:
        """Whether it has its reply, so that nothing more may happen to it."""
        return self.reply is not None

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What it wants changed; tail calls have been followed already."""
        if self.status is not CallState.SUCCESS or self.result is None:
            return ()
        return tuple(e for e in self.result.effects if not isinstance(e, TailCalled))

    @property
    def ended_agent(self) -> AgentEnded | None:
        """The answer of a subagent, if this call was its last."""
        return next((e for e in self.effects if isinstance(e, AgentEnded)), None)

    def tell(self, state: CallState, *, pid: int | None = None) -> None:
        """Moves to a state and publishes it."""
        self.status = state
        self._publish(
            ToolChanged(
                state=state,
                call=self.call,
                title=self.title,
                kind=self.kind,
                display_name=self.display_name,
                locations=self.locations,
                pid=pid,
                display=self.display(),
            )
        )

    def show(self, display: Display) -> None:
        """Live output."""
        self._shown = readable_display(display)
        self._publish(ToolProgress(self.call.id, self._shown))

    def display(self) -> Display | None:
        """What a person sees of it: its result, else what it showed or was about to do."""
        if self.result is not None and self.result.display is not None:
            return self.result.display
        if self._shown is not None:
            return self._shown
        return self.preview.diff if isinstance(self.preview, EditPreview) else None

    def fail(self, message: str, kind: str) -> None:
        """Settles it with an error."""
        result = ToolResult(error=message, error_type=kind, display=self.display())
        self.settle(result, Reply(self.call.id, self.call.name, (Text(message),), is_error=True))

    def cancel(self, reason: str) -> None:
        """Settles it as cancelled; output that was shown already is kept."""
        parts = [Text(_CANCELLED + reason)]
        if self._shown is not None and (partial := spoken(self._shown)):
            parts.append(Text(f"Output until then:\n{partial}"))
        self.reply = Reply(self.call.id, self.call.name, tuple(parts), is_error=True)
        self.tell(CallState.CANCELLED)

    def settle(self, result: ToolResult, reply: Reply) -> None:
        """Gives it its reply."""
        self.result, self.reply = result, reply
        self.tell(CallState.ERROR if result.error is not None else CallState.SUCCESS)

    def finish(self, now: float) -> None:
        """Publishes the end of a settled call, once."""
        assert self.reply is not None and not self.finished
        self.finished = True
        self.duration_ms = max(0, round((now - self.started) * 1000))
        result = self.result or ToolResult()
        agent_id = result.data.get("agent_id")
        self._publish(
            ToolFinished(
                call=self.call,
                reply=self.reply,
                status=self._final(),
                display=self.display(),
                error=result.error,
                error_type=result.error_type,
                duration_ms=self.duration_ms,
                decision=self.decision,
                title=self.title,
                kind=self.kind,
                display_name=self.display_name,
                agent_id=agent_id if isinstance(agent_id, str) else None,
            )
        )

    def _final(self) -> Literal["success", "error", "cancelled"]:
        if self.status is CallState.SUCCESS:
            return "success"
        return "cancelled" if self.status is CallState.CANCELLED else "error"


def bug(problem: Exception) -> tuple[str, str]:
    """What the model is told of an error that a tool, hook or rule did not mean to make."""
    return readable(f"{type(problem).__name__}: {problem}"), "unhandled_exception"
