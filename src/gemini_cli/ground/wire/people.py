"""Questions to people: published on the bus, answered by whichever face is first.

The futures live here and nowhere else. It never invents an answer: where nobody is
attached, the default that the asker wrote into the question is taken at once.
"""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from gemini_cli.protocol.display import Preview
from gemini_cli.protocol.events import AskRaised, AskResolved
from gemini_cli.protocol.ids import AgentPath, AskId
from gemini_cli.protocol.people import CANCEL, Answer, Ask
from gemini_cli.protocol.ports import Bus


class _Open:
    """A question that waits."""

    def __init__(self, ask: Ask, agent: AgentPath) -> None:
        self.ask = ask
        self.agent = agent
        self.answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()


class LocalPeople:
    """Implements `People` over a bus inside one process."""

    def __init__(self, bus: Bus, *, present: bool = False) -> None:
        self._bus = bus
        self._faces = 1 if present else 0
        self._open: dict[AskId, _Open] = {}

    @property
    def present(self) -> bool:
        """Whether a face that can ask is attached."""
        return self._faces > 0

    @property
    def open(self) -> tuple[Ask, ...]:
        """The questions that wait, oldest first, for a face that joins late."""
        return tuple(entry.ask for entry in self._open.values())

    def attach(self) -> Callable[[], None]:
        """A face that shows questions is there. Call what is returned when it goes.

        When the last one goes, open questions get their defaults.
        """
        self._faces += 1
        attached = True

        def detach() -> None:
            nonlocal attached
            if attached:
                attached = False
                self._faces -= 1
                if not self._faces:
                    self._abandon()

        return detach

    async def ask(
        self, ask: Ask, preview: Preview | None = None, *, agent: AgentPath = ()
    ) -> Answer:
        """Waits for the first answer; cancelling withdraws the question.

        A question whose id is open already is asked under another one, so that a yes to
        one of two calls is never taken as a yes to both.
        """
        if not self.present:
            return Answer(ask.id, ask.default, by="nobody")
        ask = replace(ask, id=self._free(ask.id))
        entry = self._open[ask.id] = _Open(ask, agent)
        self._bus.publish(AskRaised(ask, preview), turn_id=None, agent=agent)
        try:
            return await entry.answered
        finally:
            if self._open.get(ask.id) is entry:
                del self._open[ask.id]
                withdrawn = Answer(ask.id, CANCEL, by="withdrawn")
                self._bus.publish(AskResolved(withdrawn), turn_id=None, agent=agent)

    def answer(self, answer: Answer) -> bool:
        """Delivers an answer to an open question; a second one comes too late."""
        return self._settle(answer)

    def _settle(self, answer: Answer) -> bool:
        entry = self._open.get(answer.ask_id)
        if entry is None or entry.answered.done():  # done: its asker was cancelled just now
            return False
        del self._open[answer.ask_id]
        entry.answered.set_result(answer)
        self._bus.publish(AskResolved(answer), turn_id=None, agent=entry.agent)
        return True

    def _free(self, ask_id: AskId) -> AskId:
        number, free = 1, ask_id
        while free in self._open:
            number += 1
            free = f"{ask_id}#{number}"
        return free

    def _abandon(self) -> None:
        for entry in tuple(self._open.values()):
            self._settle(Answer(entry.ask.id, entry.ask.default, by="nobody"))
