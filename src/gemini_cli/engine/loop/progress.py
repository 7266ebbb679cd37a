"""What a subagent has been doing, in a few lines for the person who waits for it.

Made from the child's own events as they pass by.
"""

from collections import deque
from collections.abc import Callable
from typing import Literal

from gemini_cli.protocol.display import AgentProgress, Display
from gemini_cli.protocol.events import CallState, Event, ToolChanged, ToolFinished

_LINES = 10
Show = Callable[[Display], None]


class Progress:
    """The latest doings of one subagent."""

    def __init__(self, agent: str, show: Show) -> None:
        self._agent = agent
        self._show = show
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._state: Literal["running", "completed", "failed", "cancelled"] = "running"

    def saw(self, event: Event) -> None:
        """Turns an event into a line, if it is worth one."""
        match event:
            case ToolChanged(state=CallState.EXECUTING, title=title, call=call, pid=None):
                self._add(f"{title or call.name} ...")
            case ToolFinished(title=title, call=call, status=status) if status != "success":
                self._add(f"{title or call.name}: {status}")
            case _:
                pass

    def end(self, state: Literal["completed", "failed", "cancelled"]) -> None:
        """The last thing to be told."""
        self._state = state

    def display(self) -> AgentProgress:
        """As it is shown now."""
        return AgentProgress(self._agent, tuple(self._lines), self._state)

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._show(self.display())
