"""Drives one prompt to its end: sends it, prints what happens, and obeys signals.

It owns no session: `app` opened it and will close it.
"""

import asyncio

from msgspec.structs import replace

from gemini_cli.faces.headless import outcome
from gemini_cli.faces.headless.render import Ending, Figures, Format
from gemini_cli.protocol.events import End, Notice, Problem, TurnEnded
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.ops import Cancel, Prompt
from gemini_cli.protocol.session import SessionPort

GRACE = 0.6
"""Seconds a cancelled turn may take to end before the program ends without it."""


class HeadlessRun:
    """One prompt on one session."""

    def __init__(
        self, session: SessionPort, form: Format, figures: Figures, clock: Clock, started: float
    ) -> None:
        self._session = session
        self._format = form
        self._figures = figures
        self._clock = clock
        self._started = started
        self._stopped_by: int | None = None
        self._reader: asyncio.Task[TurnEnded] | None = None
        self._errands: set[asyncio.Task[str]] = set()
        self.abandoned = False
        """The reader of our output went away; nobody wants the rest."""

    async def answer(self, prompt: Prompt) -> Problem | None:
        """The error the run ends with, or None. Everything is printed when it returns.

        A run that was given up because nobody reads it has no error of its own.
        """
        self._reader = asyncio.create_task(self._read(prompt))
        try:
            ended = await self._reader
        except asyncio.CancelledError:
            if self._stopped_by is None and not self.abandoned:
                raise
            ended = TurnEnded(End.CANCELLED)
        if self.abandoned and self._stopped_by is None:
            return None
        problem = outcome.of_turn(ended, self._stopped_by)
        if not self.abandoned:
            self.finish(ended.text, problem)
        return problem

    def finish(self, text: str, problem: Problem | None) -> None:
        """Prints the end of the run."""
        took = int((self._clock.monotonic() - self._started) * 1000)
        session_id = self._session.view.session_id
        now = self._clock.now()
        self._format.end(Ending(now, session_id, text, self._figures, took, problem))

    def interrupt(self, number: int) -> None:
        """A signal came: the turn is cancelled, and left behind if it will not end."""
        self._stopped_by = number
        self._stop()

    def abandon(self) -> None:
        """Nobody reads our output any more."""
        self.abandoned = True
        self._stop()

    def _stop(self) -> None:
        loop = asyncio.get_running_loop()
        errand = loop.create_task(self._session.send(Cancel(reason="signal", queued=True)))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)
        if self._reader is not None:
            loop.call_later(GRACE, self._reader.cancel)

    async def _read(self, prompt: Prompt) -> TurnEnded:
        events = self._session.subscribe(after=0)
        turn_id = await self._session.send(prompt)
        async for envelope in events:
            event = envelope.event
            if isinstance(event, TurnEnded) and (why := outcome.told(event)):
                self._format.saw(replace(envelope, event=Notice("warning", why)))
            self._format.saw(envelope)
            if isinstance(event, TurnEnded) and not envelope.agent and envelope.turn_id == turn_id:
                return event
        return TurnEnded(End.FAILED, problem=Problem("internal_error", "The session closed early"))
