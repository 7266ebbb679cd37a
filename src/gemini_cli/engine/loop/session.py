"""A session: takes ops, runs one turn at a time, and tells everything it does on its bus.

It owns the state of the conversation and the tasks that work on it. It knows no face and
no vendor; everything outside reaches it through `Ports`.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable

from gemini_cli.engine.loop.beside import Beside
from gemini_cli.engine.loop.children import Delegate
from gemini_cli.engine.loop.course import Course
from gemini_cli.engine.loop.inbox import Inbox, Waiting
from gemini_cli.engine.loop.limits import LoopLimits
from gemini_cli.engine.loop.state import State
from gemini_cli.engine.loop.turn import Turn
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import Envelope, Notice, SessionOpened, TurnEnded
from gemini_cli.protocol.hooks import EndReason
from gemini_cli.protocol.ids import AgentPath
from gemini_cli.protocol.messages import Message
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import (
    AddRoot,
    AnswerAsk,
    CallInput,
    Cancel,
    Clear,
    Close,
    Compact,
    LoadHistory,
    Op,
    Prompt,
    Rewind,
    RunCall,
    SetMode,
    SetModel,
    Shell,
)
from gemini_cli.protocol.people import Answer
from gemini_cli.protocol.ports import Bus, Ports
from gemini_cli.protocol.session import SessionView, Source

_REASONS: dict[str, EndReason] = {
    "exit": "exit",
    "clear": "clear",
    "logout": "logout",
    "prompt_input_exit": "prompt_input_exit",
}

_TIMES = 3
_REPLACED = "another prompt took its place."


class Session:
    """Implements `SessionPort`."""

    def __init__(
        self,
        *,
        session_id: str,
        ports: Ports,
        bus: Bus,
        cwd: str,
        mode: Mode,
        model: str,
        limits: LoopLimits | None = None,
        interactive: bool = False,
        source: Source = Source.STARTUP,
        history: Iterable[Message] = (),
        parent: str | None = None,
        agent: AgentPath = (),
        above: State | None = None,
    ) -> None:
        self._state = State(
            session_id=session_id,
            ports=ports,
            bus=bus,
            cwd=cwd,
            mode=mode,
            model=model,
            limits=limits or LoopLimits(),
            interactive=interactive,
            history=history,
            parent=parent,
            agent=agent,
            above=above,
        )
        self._state.delegate = Delegate(self)
        self._source = source
        self._inbox = Inbox()
        self._beside = Beside(self._state)
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._closed = False

    @property
    def view(self) -> SessionView:
        """The present state."""
        return self._state.view()

    @property
    def history(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        return self._state.history.messages

    async def start(self) -> None:
        """Tells that the session is open, and lets the start hooks speak."""
        await self._opened(self._source)

    async def send(self, op: Op) -> str:
        """Hands in an op; the id of the turn it starts or joins, or "" where there is none."""
        if self._closed:
            return ""
        match op:
            case Prompt():
                return self._prompted(op)
            case AnswerAsk(ask_id=ask_id, choice=choice, content=content, by=by):
                self._state.ports.people.answer(Answer(ask_id, choice, content, by))
            case Cancel(reason=reason, queued=queued):
                self._cancel(reason, queued=queued)
            case CallInput():
                await self._beside.input(op)
            case RunCall() | Shell():
                return self._beside.start(op)
            case SetMode(mode=mode):
                self._state.set_mode(mode, "person")
            case SetModel(model=model):
                self._state.set_model(model)
            case AddRoot(path=path):
                self._add_root(path)
            case Close(reason=reason):
                await self.aclose(_REASONS.get(reason, "other"))
            case Compact() | Clear() | Rewind() | LoadHistory():
                self._inbox.put(op, "")
                self._pump()
        return ""

    def subscribe(
        self, *, coalesce: bool = False, after: int | None = None
    ) -> AsyncIterator[Envelope]:
        """Events from now on, or from behind `after`."""
        return self._state.bus.subscribe(coalesce=coalesce, after=after)

    async def idle(self) -> None:
        """Returns when no turn runs and none is queued."""
        await self._idle.wait()

    def refit(self, ports: Ports) -> None:
        """Puts other ports in at once, or at the next step of a running turn."""
        self._state.refit(ports)

    async def aclose(self, reason: EndReason = "exit") -> None:
        """Cancels what runs, lets the end hooks speak, and ends the subscriptions."""
        if self._closed:
            return
        self._closed = True
        self._inbox.clear()
        await self._stopped()
        await self._beside.aclose()
        if not self._state.is_child:
            try:
                await self._course().session_end(reason)
            finally:
                self._state.bus.close()

    async def _stopped(self) -> None:
        """Cancels what runs, again if it does not listen, and leaves it behind in the end."""
        for _ in range(_TIMES):
            if self._task is None or self._task.done():
                return
            if self._turn is not None:
                self._turn.cancel("the session was closed.")
            else:
                self._task.cancel()
            await asyncio.wait([self._task], timeout=self._state.limits.patience)
        text = "A tool or hook does not stop; the session closes without waiting for it."
        self._state.notice("warning", text, "not_stopping")

    def child(
        self, spec: AgentSpec, *, session_id: str, ports: Ports, bus: Bus, limits: LoopLimits
    ) -> "Session":
        """A session for a subagent: same machine and people, a history and limits of its own."""
        state = self._state
        return Session(
            session_id=session_id,
            ports=ports,
            bus=bus,
            cwd=state.cwd,
            mode=state.mode,
            model=state.model if spec.model in (None, "inherit") else spec.model,
            limits=limits,
            interactive=state.interactive,
            parent=state.session_id,
            agent=(*state.agent, spec.name),
            above=state,
        )

    @property
    def state(self) -> State:
        """For the loop's own modules."""
        return self._state

    async def work(self, prompt: Prompt, turn_id: str) -> TurnEnded:
        """Runs a prompt inside the caller's task: how a subagent's turn belongs to its call."""
        self._turn = Turn(self._state, prompt, turn_id, self._inbox)
        try:
            return await self._turn.run()
        finally:
            self._turn = None

    def _prompted(self, op: Prompt) -> str:
        """Queues a prompt, hands it to the running turn, or lets it take the turn's place."""
        running = self._turn
        if running is not None and op.delivery == "steer" and self._state.limits.steering:
            self._inbox.steer(op, self._state.ports.clock.new_id())
            return running.turn_id
        turn_id = self._state.ports.clock.new_id()
        if op.delivery == "replace":
            self._inbox.put_first(op, turn_id)
            if running is not None:
                running.cancel(_REPLACED)
        else:
            self._inbox.put(op, turn_id)
        self._pump()
        return turn_id

    def _cancel(self, reason: str, *, queued: bool) -> None:
        if queued:
            self._inbox.clear()
        if self._turn is not None:
            user = reason in ("", "user")
            self._turn.cancel("the user cancelled the turn." if user else reason)

    def _pump(self) -> None:
        """Starts the next thing that waits, if nothing runs."""
        if self._task is not None:
            return
        if not self._inbox or self._closed:
            self._idle.set()
            return
        self._idle.clear()
        waiting = self._inbox.take()
        if isinstance(waiting.op, Prompt):
            self._turn = Turn(self._state, waiting.op, waiting.turn_id, self._inbox)
            if waiting.overtaken:
                self._turn.cancel(_REPLACED)
        self._task = asyncio.create_task(self._do(waiting, self._turn))
        self._task.add_done_callback(self._done)

    async def _do(self, waiting: Waiting, turn: Turn | None) -> None:
        if turn is not None:
            await turn.run()
            return
        match waiting.op:
            case Compact():
                await self._course().pre_compress("manual")
                text = "Compressing the history is not built yet; nothing was changed."
                self._state.notice("warning", text, "compact")
            case Clear(session_id=session_id):
                await self._cleared(session_id)
            case Rewind(message_id=message_id):
                self._rewound(message_id)
            case LoadHistory(messages=messages):
                self._state.replace_history(messages, "load")
            case _:
                pass

    def _done(self, task: asyncio.Task[None]) -> None:
        """Goes on with what waits; not when the whole program is being stopped."""
        self._turn = self._task = None
        self._inbox.unsteered()
        if task.cancelled():
            self._inbox.clear()
        elif (error := task.exception()) is not None:
            text = f"Unexpected error: {type(error).__name__}: {error}"
            self._state.publish(Notice("error", text, "internal_error"), None)
        self._pump()

    async def _opened(self, source: Source) -> None:
        state = self._state
        state.publish(
            SessionOpened(
                session_id=state.session_id,
                cwd=state.cwd,
                model=state.model,
                mode=state.mode,
                source=source.value,
                parent=state.parent,
                roots=state.roots(),
                interactive=state.interactive,
            ),
            state.turn_id,
        )
        if not state.is_child:
            outcome = await self._course().session_start(source)
            state.context = outcome.context or None

    async def _cleared(self, session_id: str) -> None:
        """Ends this session for the hooks and the journal, and goes on as a new one."""
        state = self._state
        await self._course().session_end("clear")
        state.session_id = session_id or state.ports.clock.new_id()
        state.history.replace(())
        state.steps = state.prompt_tokens = 0
        state.topic = ""
        await self._opened(Source.CLEAR)

    def _rewound(self, message_id: str) -> None:
        state = self._state
        mark = state.history.position(message_id)
        if mark is None:
            text = f"There is no message {message_id} to go back to."
            state.notice("error", text, "rewind")
            return
        state.replace_history(state.history.messages[:mark], "rewind")

    def _add_root(self, path: str) -> None:
        try:
            self._state.add_root(path)
        except ToolProblem as problem:
            self._state.notice("error", str(problem), problem.kind)

    def _course(self) -> Course:
        return Course(self._state, lambda event: self._state.publish(event, self._state.turn_id))
