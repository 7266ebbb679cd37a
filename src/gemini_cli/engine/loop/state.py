"""The changing parts of one session, with one owner.

`Session` makes it; turns, steps and calls work on it. Everything that others may learn
leaves through `publish` and `view`.
"""

from collections.abc import Iterable
from typing import Literal

from gemini_cli.engine.loop.history import History
from gemini_cli.engine.loop.limits import LoopLimits
from gemini_cli.protocol.events import (
    Event,
    HistoryReplaced,
    MessageAdded,
    MetaChanged,
    ModeChanged,
    ModelChosen,
    Notice,
    RolledBack,
    RootsChanged,
)
from gemini_cli.protocol.hooks import HookContext
from gemini_cli.protocol.host import Process
from gemini_cli.protocol.ids import AgentPath
from gemini_cli.protocol.messages import Message, Origin, Part, Role
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import CallRole, ModelChoice
from gemini_cli.protocol.ports import Bus, Ports
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import (
    AgentEnded,
    Delegation,
    Effect,
    ModeSet,
    RootAdded,
    TopicSet,
    TurnStopped,
)

Reason = Literal["load", "compact", "mask", "rewind", "clear"]


class State:
    """History, mode, model, counts and running processes of a session."""

    def __init__(
        self,
        *,
        session_id: str,
        ports: Ports,
        bus: Bus,
        cwd: str,
        mode: Mode,
        model: str,
        limits: LoopLimits,
        interactive: bool,
        history: Iterable[Message] = (),
        parent: str | None = None,
        agent: AgentPath = (),
        above: "State | None" = None,
    ) -> None:
        self.session_id = session_id
        self.ports = ports
        self.bus = bus
        self.cwd = cwd
        self.above = above
        self._mode = mode
        self.model = model
        self.limits = limits
        self.interactive = interactive
        self.history = History(history)
        self.parent = parent
        self.agent = agent
        self.announced = model
        self.turn_id: str | None = None
        self.prompt_id = ""
        self.steps = 0
        self.turn_steps = 0
        self.prompt_tokens = 0
        self.topic = ""
        self.context: str | None = None
        """What the hooks said at the start, until the first prompt takes it along."""
        self.processes: dict[str, Process] = above.processes if above else {}
        self.delegate: Delegation | None = None
        """How a tool of this session has a subagent work for it."""
        self._refit: Ports | None = None
        self._held: list[Message] = []

    @property
    def mode(self) -> Mode:
        """The approval mode; a subagent is always in its parent's."""
        return self.above.mode if self.above else self._mode

    @property
    def is_child(self) -> bool:
        """Whether this is the session of a subagent."""
        return bool(self.agent)

    @property
    def role(self) -> CallRole:
        """Under which role its requests are counted."""
        return "subagent" if self.agent else "main"

    def view(self) -> SessionView:
        """A snapshot for whoever must decide something."""
        return SessionView(
            session_id=self.session_id,
            cwd=self.cwd,
            mode=self.mode,
            model=self.model,
            interactive=self.interactive,
            roots=self.roots(),
            agent=self.agent,
            turn_id=self.turn_id,
            prompt_id=self.prompt_id,
            steps=self.steps,
            turn_steps=self.turn_steps,
            messages=len(self.history),
            prompt_tokens=self.prompt_tokens,
            topic=self.topic,
        )

    def roots(self) -> tuple[str, ...]:
        """The folders the session may change."""
        return tuple(str(root) for root in self.ports.workspace.roots)

    def hook_context(self) -> HookContext:
        """What every hook is told."""
        return HookContext(
            session_id=self.session_id,
            transcript=self.ports.transcript(),
            cwd=self.cwd,
            at=self.ports.clock.now(),
        )

    def publish(self, event: Event, turn_id: str | None) -> None:
        """Tells everybody."""
        self.bus.publish(event, turn_id=turn_id, agent=self.agent)

    def notice(self, level: Literal["info", "warning", "error"], text: str, code: str = "") -> None:
        """A line for the person."""
        self.publish(Notice(level, text, code), self.turn_id)

    def message(
        self, role: Role, parts: tuple[Part, ...], origin: Origin, display: str | None = None
    ) -> Message:
        """A new message, not yet part of the history."""
        clock = self.ports.clock
        return Message(clock.new_id(), role, parts, clock.now(), origin=origin, display=display)

    def add(self, role: Role, parts: tuple[Part, ...], origin: Origin) -> Message:
        """Commits a message that is neither a prompt nor an answer, and tells."""
        message = self.message(role, parts, origin)
        self.history.commit(message)
        self.publish(MessageAdded(message), self.turn_id)
        return message

    def add_when_balanced(self, parts: tuple[Part, ...]) -> None:
        """Adds background for the model as soon as no call waits for its reply."""
        self._held.append(self.message("user", parts, "context"))
        if self.turn_id is None:
            self.release()

    def release(self) -> None:
        """Commits what `add_when_balanced` held back."""
        held, self._held = self._held, []
        for message in held:
            self.history.commit(message)
            self.publish(MessageAdded(message), self.turn_id)

    def rollback(self, mark: int, reason: str) -> None:
        """Forgets the messages from `mark` on, and tells."""
        if dropped := self.history.rollback(mark):
            self.publish(RolledBack(dropped, reason), self.turn_id)

    def replace_history(self, messages: Iterable[Message], reason: Reason) -> None:
        """Puts another history in place, and tells."""
        self.history.replace(messages)
        self.prompt_tokens = 0
        self.publish(HistoryReplaced(self.history.messages, reason), self.turn_id)

    def set_mode(self, mode: Mode, by: str) -> None:
        """Goes on in another approval mode, the parent of a subagent included."""
        if self.above is not None:
            self.above.set_mode(mode, by)
        elif mode is not self._mode:
            self._mode = mode
            self.publish(ModeChanged(mode, by), self.turn_id)

    def set_model(self, model: str) -> None:
        """Goes on with another model; told when it answers, or at once where it was named."""
        if model != self.model:
            self.model = model
            self.announced = model
            self.publish(ModelChosen(model, "person"), self.turn_id)

    def chosen(self, choice: ModelChoice) -> None:
        """Remembers which model answers, and tells when it is another one."""
        if choice.model != self.announced:
            self.announced = choice.model
            event = ModelChosen(choice.model, choice.source, choice.reason)
            self.publish(event, self.turn_id)

    def apply(self, effect: Effect) -> None:
        """Makes a change that a tool asked for. Ends of turns are the turn's business."""
        match effect:
            case ModeSet(mode=mode):
                self.set_mode(mode, "tool")
            case RootAdded(path=path, read_only=read_only):
                self.add_root(path, read_only=read_only)
            case TopicSet(title=title, summary=summary):
                self.topic = title or self.topic
                changes = {"topic": title, "topicSummary": summary}
                told = {key: value for key, value in changes.items() if value}
                self.publish(MetaChanged(told), self.turn_id)
            case AgentEnded() | TurnStopped():
                pass

    def add_root(self, path: str, *, read_only: bool = False) -> None:
        """Widens the workspace, and tells."""
        workspace = self.ports.workspace
        workspace.add(workspace.target / path, read_only=read_only)
        self.publish(RootsChanged(self.roots()), self.turn_id)

    def refit(self, ports: Ports) -> None:
        """Takes other ports, at once or at the next step."""
        self._refit = ports
        if self.turn_id is None:
            self.refitted()

    def refitted(self) -> None:
        """The moment between two steps at which other ports may be put in."""
        if self._refit is not None:
            self.ports, self._refit = self._refit, None
