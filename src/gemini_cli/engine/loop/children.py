"""Subagents: a spec becomes a tool, and each call of it a session of its own.

The child has its own history, tools and limits; its events travel on the parent's bus
under a longer agent path, and its questions reach the same people. A subagent is never
given another one.
"""

import asyncio
from typing import Protocol

from msgspec.structs import replace

from gemini_cli.engine.loop.child_ports import ChildBus, ChildCatalog, ChildPeople, ChildPrompts
from gemini_cli.engine.loop.limits import LoopLimits
from gemini_cli.engine.loop.progress import Progress, Show
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.display import Location, Preview
from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.events import End, TurnEnded
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.ops import Prompt
from gemini_cli.protocol.people import Answer, Ask
from gemini_cli.protocol.ports import Bus, Ports
from gemini_cli.protocol.session import SessionPort
from gemini_cli.protocol.tools import Family, Kind, ToolContext, ToolResult, failed

_RECOVERY_SECONDS = 60.0
_LAST_CALL = (
    "{why} Call complete_task now with what you have found out so far; "
    "nothing else you do will be seen."
)
_WHY = {
    "MAX_TURNS": "You have used up your model requests.",
    "TIMEOUT": "Your time is over.",
    "ERROR_NO_COMPLETE_TASK_CALL": "You stopped without calling complete_task.",
}


class Parent(Protocol):
    """What is needed of the session that a subagent belongs to."""

    @property
    def state(self) -> State: ...

    def child(
        self, spec: AgentSpec, *, session_id: str, ports: Ports, bus: Bus, limits: LoopLimits
    ) -> "Child": ...


class Child(SessionPort, Protocol):
    """A session whose turns run inside the caller's task."""

    async def start(self) -> None: ...

    async def work(self, prompt: Prompt, turn_id: str) -> TurnEnded: ...

    @property
    def state(self) -> State: ...


class Delegate:
    """Opens a child session per call and brings its result home. Implements `Delegation`."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    async def __call__(self, spec: AgentSpec, args: JsonObject, show: Show) -> ToolResult:
        """Runs the subagent to its end. Cancelling the caller cancels it."""
        parent = self._parent.state
        if parent.is_child:
            return failed("A subagent cannot call another one.", "execution_failed")
        run = _Run(self._parent, spec, args, show)
        try:
            mode, text = await run.outcome()
        except asyncio.CancelledError:
            run.progress.end("cancelled")
            show(run.progress.display())
            raise
        run.progress.end("completed" if mode == "GOAL" else "failed")
        said = f"Subagent '{spec.name}' finished.\nTermination Reason: {mode}\nResult:\n{text}"
        if mode == "ERROR":
            said = f"Subagent '{spec.name}' failed. {text}"
        return ToolResult(
            for_model=(Text(said),),
            display=run.progress.display(),
            data={"agent_id": run.session_id, "result": text, "terminate_reason": mode},
        )


class _Run:
    """One run of a subagent."""

    def __init__(self, parent: Parent, spec: AgentSpec, args: JsonObject, show: Show) -> None:
        state = parent.state
        self.spec = spec
        self.args = args
        self.progress = Progress(spec.display_name or spec.name, show)
        self.session_id = state.ports.clock.new_id()
        self._clock = state.ports.clock
        self._deadline = asyncio.timeout(None)
        people = ChildPeople(state.ports.people, self._pause, self._resume)
        self._catalog = ChildCatalog(spec, state.ports.catalog)
        ports = replace(
            state.ports,
            catalog=self._catalog,
            prompts=ChildPrompts(spec, state.ports.prompts),
            people=people,
        )
        limits = replace(state.limits, max_steps=spec.max_steps)
        bus = ChildBus(state.bus, self.progress.saw)
        self._child = parent.child(
            spec, session_id=self.session_id, ports=ports, bus=bus, limits=limits
        )
        self._left = 0.0
        self._opened = False

    async def outcome(self) -> tuple[str, str]:
        """How it ended, and what it brought home."""
        ended, mode = await self._worked(self._query(), self.spec.max_minutes * 60)
        if mode in _WHY:
            state = self._child.state
            state.limits = replace(state.limits, max_steps=state.steps + 1)
            last = _LAST_CALL.format(why=_WHY[mode])
            again, recovered = await self._worked(last, _RECOVERY_SECONDS)
            if recovered == "GOAL":
                return recovered, self._text(again, recovered)
        return mode, self._text(ended, mode)

    async def _worked(self, words: str, seconds: float) -> tuple[TurnEnded | None, str]:
        """One turn of the child within its time."""
        turn_id = self._clock.new_id()
        state = self._child.state
        try:
            async with asyncio.timeout(seconds) as self._deadline:
                if not self._opened:
                    self._opened = True
                    state.turn_id = turn_id
                    await self._child.start()
                ended = await self._child.work(Prompt((Text(words),)), turn_id)
        except TimeoutError:
            return None, "TIMEOUT"
        if self._catalog.completed:
            return ended, "GOAL"
        match ended.end:
            case End.COMPLETED:
                return ended, "ERROR_NO_COMPLETE_TASK_CALL"
            case End.MAX_STEPS:
                return ended, "MAX_TURNS"
            case End.CANCELLED | End.STOPPED:
                return ended, "ABORTED"
            case _:
                return ended, "ERROR"

    def _text(self, ended: TurnEnded | None, mode: str) -> str:
        spec = self.spec
        if mode == "GOAL":
            return (ended.text if ended else "") or "Task completed."
        if mode == "TIMEOUT":
            return f"Agent timed out after {spec.max_minutes:g} minutes."
        if mode == "MAX_TURNS":
            return f"Agent reached max turns limit ({spec.max_steps})."
        if mode == "ERROR_NO_COMPLETE_TASK_CALL":
            said = ended.text if ended else ""
            return f"Agent stopped without calling complete_task. It said: {said or '(nothing)'}"
        if ended is not None and ended.problem is not None:
            return f"Error: {ended.problem.message}"
        return "Agent was stopped."

    def _query(self) -> str:
        """The arguments as the child's first prompt."""
        if set(self.args) <= {"prompt"}:
            return str(self.args.get("prompt") or "Get Started!")
        return "\n".join(f"{name}: {value}" for name, value in self.args.items())

    def _pause(self) -> None:
        """The clock stands still while a person thinks."""
        when = self._deadline.when()
        if when is not None:
            self._left = max(0.0, when - asyncio.get_running_loop().time())
            self._deadline.reschedule(None)

    def _resume(self) -> None:
        if self._deadline.when() is None and not self._deadline.expired():
            self._deadline.reschedule(asyncio.get_running_loop().time() + self._left)


class AgentTool:
    """A subagent as a tool: what the model sees of an `AgentSpec`. Implements `Tool`."""

    kind: Kind = "agent"
    parallel = True
    read_only = False
    server: str | None = None

    def __init__(self, spec: AgentSpec) -> None:
        self._spec = spec

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._spec.name

    @property
    def display_name(self) -> str:
        """The name people see."""
        return self._spec.display_name or self._spec.name

    def declaration(self, family: Family) -> JsonObject:
        """Name, description and what it is called with."""
        return {
            "name": self._spec.name,
            "description": self._spec.description,
            "parametersJsonSchema": self._spec.schema or _PROMPT_ONLY,
        }

    def prepare(self, args: JsonObject) -> "AgentCall":
        """Wants what its schema requires."""
        schema = self._spec.schema or _PROMPT_ONLY
        for name in schema.get("required", ()):
            if name not in args:
                raise InvalidArgs(f"params must have required property '{name}'")
        prompt = args.get("prompt")
        if not self._spec.schema and not (isinstance(prompt, str) and prompt.strip()):
            raise InvalidArgs("params/prompt must be a text that says what to do")
        return AgentCall(self._spec, args)


class AgentCall:
    """One prepared call of a subagent. Implements `Invocation`."""

    kind: Kind = "agent"
    locations: tuple[Location, ...] = ()

    def __init__(self, spec: AgentSpec, args: JsonObject) -> None:
        self._spec = spec
        self._args = args

    @property
    def title(self) -> str:
        """The agent and the beginning of its task."""
        task = str(self._args.get("prompt", "")).strip().partition("\n")[0]
        return f"{self._spec.display_name or self._spec.name}: {task[:100]}"

    async def preview(self, ctx: ToolContext) -> Preview | None:
        """A plain yes or no."""
        return None

    def question(self) -> Ask | None:
        """It is no question."""
        return None

    async def run(self, ctx: ToolContext, answer: Answer | None = None) -> ToolResult:
        """Has the subagent work."""
        if ctx.delegate is None:
            return failed("Subagents cannot be called here.", "execution_failed")
        return await ctx.delegate(self._spec, self._args, ctx.progress)


_PROMPT_ONLY: JsonObject = {
    "type": "object",
    "properties": {"prompt": {"type": "string", "description": "What the agent is to do."}},
    "required": ["prompt"],
}
