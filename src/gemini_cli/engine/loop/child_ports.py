"""The parent's ports as a subagent sees them: fewer tools, other instructions, the same people.

Each wraps one port and changes only what a subagent must not have or must know.
"""

from collections.abc import AsyncIterator, Callable, Sequence

from gemini_cli.engine.loop.complete import CompleteTask
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.display import Preview
from gemini_cli.protocol.events import Envelope, Event
from gemini_cli.protocol.ids import AgentPath, TurnId
from gemini_cli.protocol.messages import Message, Part
from gemini_cli.protocol.people import Answer, Ask, People
from gemini_cli.protocol.ports import Bus, Prompts
from gemini_cli.protocol.session import SessionView
from gemini_cli.protocol.tools import Catalog, Tool

_NEVER = frozenset({"update_topic", "complete_task", "invoke_agent"})
_RULES = (
    "You work on your own for another agent. Nobody reads along: never ask questions, decide "
    "sensibly and go on. Name files by absolute path. When you are done, and only then, call "
    "complete_task with your findings; it is the only thing that reaches whoever called you."
)


class ChildCatalog:
    """The tools a spec allows, never other agents, and the one that ends the work."""

    def __init__(self, spec: AgentSpec, inner: Catalog) -> None:
        self._spec = spec
        self._inner = inner
        self._complete = CompleteTask(spec.output_schema)

    @property
    def completed(self) -> bool:
        """Whether the task was completed with a valid call."""
        return self._complete.called

    def declared(self, view: SessionView) -> Sequence[Tool]:
        """By name, with the ending tool last."""
        allowed = [tool for tool in self._inner.declared(view) if self._allows(tool)]
        return [*sorted(allowed, key=lambda tool: tool.name), self._complete]

    def find(self, name: str, view: SessionView) -> Tool | None:
        """A tool the spec allows."""
        if name == self._complete.name:
            return self._complete
        tool = self._inner.find(name, view)
        return tool if tool is not None and self._allows(tool) else None

    def near(self, name: str, view: SessionView) -> Sequence[str]:
        """Names that look like this one, among those allowed."""
        near = self._inner.near(name, view)
        return [each for each in near if self.find(each, view) is not None]

    def _allows(self, tool: Tool) -> bool:
        if tool.kind == "agent" or tool.name in _NEVER:
            return False
        return self._spec.tools is None or any(
            pattern in (tool.name, "*")
            or (pattern.endswith("*") and tool.name.startswith(pattern[:-1]))
            for pattern in self._spec.tools
        )


class ChildPrompts:
    """The spec's instructions with the rules for working alone."""

    def __init__(self, spec: AgentSpec, inner: Prompts) -> None:
        self._spec = spec
        self._inner = inner

    def system(self, view: SessionView) -> str:
        """The same for the whole run."""
        return f"{self._spec.instructions}\n\n{_RULES}"

    def opening(self, view: SessionView) -> tuple[Message, ...]:
        """What the parent's prompts begin a history with for this agent."""
        return self._inner.opening(view)

    def delta(self, view: SessionView) -> tuple[Part, ...]:
        """Nothing: news are for the main agent."""
        return ()


class ChildPeople:
    """The same people; the agent's clock stands still while they think."""

    def __init__(
        self, inner: People, pause: Callable[[], None], resume: Callable[[], None]
    ) -> None:
        self._inner = inner
        self._pause = pause
        self._resume = resume
        self._open = 0

    @property
    def present(self) -> bool:
        """Whether anybody is there."""
        return self._inner.present

    async def ask(
        self, ask: Ask, preview: Preview | None = None, *, agent: AgentPath = ()
    ) -> Answer:
        """Asks with the clock stopped; it goes on when the last question is answered."""
        self._pause()
        self._open += 1
        try:
            return await self._inner.ask(ask, preview, agent=agent)
        finally:
            self._open -= 1
            if not self._open:
                self._resume()

    def answer(self, answer: Answer) -> bool:
        """Delivers an answer."""
        return self._inner.answer(answer)


class ChildBus:
    """The parent's bus, with somebody who watches what the child says."""

    def __init__(self, inner: Bus, watcher: Callable[[Event], None]) -> None:
        self._inner = inner
        self._watcher = watcher

    def publish(self, event: Event, *, turn_id: TurnId | None, agent: AgentPath = ()) -> Envelope:
        """Publishes on the parent's bus."""
        envelope = self._inner.publish(event, turn_id=turn_id, agent=agent)
        self._watcher(event)
        return envelope

    def tap(self, watcher: Callable[[Envelope], None]) -> Callable[[], None]:
        """Taps the parent's bus."""
        return self._inner.tap(watcher)

    def subscribe(
        self, *, coalesce: bool = False, after: int | None = None
    ) -> AsyncIterator[Envelope]:
        """Subscribes to the parent's bus."""
        return self._inner.subscribe(coalesce=coalesce, after=after)

    def close(self) -> None:
        """A child never closes what it shares."""
