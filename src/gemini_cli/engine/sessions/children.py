"""Records what subagents say, each run in a file of its own below its parent's id.

Their events travel with the parent's under a longer agent path; several runs of one agent
are told apart by their turns. Nothing of it gets into the parent's file.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from gemini_cli.engine.sessions.records import header
from gemini_cli.engine.sessions.written import Place, Warn, Written
from gemini_cli.protocol.events import Envelope, SessionOpened, TurnEnded, TurnStarted

Trail: TypeAlias = tuple[str, tuple[str, ...]]
"""A session and the path of one of its subagents."""


class Children:
    """The files of all subagents of all sessions of a project."""

    def __init__(self, chats: Path, root: str, warn: Warn, new_id: Callable[[], str]) -> None:
        self._chats = chats
        self._root = root
        self._warn = warn
        self._new_id = new_id
        self._fresh: dict[Trail, list[Written]] = {}
        """Opened, and without a turn so far."""
        self._last: dict[Trail, Written] = {}
        self._turns: dict[tuple[Trail, str | None], Written] = {}

    def append(self, envelope: Envelope) -> None:
        """Writes a durable event of a subagent down."""
        trail = (envelope.session_id, envelope.agent)
        if isinstance(envelope.event, SessionOpened):
            self._fresh.setdefault(trail, []).append(self._opened(envelope.event, envelope))
            return
        if isinstance(envelope.event, TurnStarted):
            self._bind(trail, envelope.turn_id)
        run = self._turns.get((trail, envelope.turn_id))
        if run is not None:
            run.saw(envelope)
            if isinstance(envelope.event, TurnEnded):
                run.close()

    def close(self) -> None:
        """Gives all files back."""
        for run in {id(run): run for run in self._turns.values()}.values():
            run.close()
        self._fresh.clear()
        self._last.clear()
        self._turns.clear()

    def _bind(self, trail: Trail, turn_id: str | None) -> None:
        """A first turn belongs to the run opened first, a further one to the latest run."""
        waiting = self._fresh.get(trail)
        run = waiting.pop(0) if waiting else self._last.get(trail)
        if run is not None:
            self._last[trail] = self._turns[(trail, turn_id)] = run

    def _opened(self, opened: SessionOpened, envelope: Envelope) -> Written:
        head = header(opened, envelope.at, self._root) | {"kind": "subagent"}
        head.pop("forkedFrom", None)
        place = Place(
            self._chats / _safe(envelope.session_id),
            head,
            opened.cwd,
            self._new_id,
            f"{_safe(opened.session_id)}.jsonl",
        )
        return Written(place, None, self._warn, [])


def _safe(name: str) -> str:
    """An id as a file name that stays in its folder."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name) or "_"
