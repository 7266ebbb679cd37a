"""People who answer from a script.

A question beyond the script fails, so that a test notices what it did not expect.
"""

import asyncio

from gemini_cli.protocol.display import Preview
from gemini_cli.protocol.ids import AgentPath
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.people import Answer, Ask


class FakePeople:
    """Implements `People`. Answers are choice ids, or pairs of a choice and its content."""

    def __init__(self, *answers: str | tuple[str, JsonObject], present: bool | None = None) -> None:
        self.present = bool(answers) if present is None else present
        self.asks: list[Ask] = []
        self.previews: list[Preview | None] = []
        self._answers = list(answers)

    async def ask(
        self, ask: Ask, preview: Preview | None = None, *, agent: AgentPath = ()
    ) -> Answer:
        """The next answer of the script; the default where nobody is present."""
        self.asks.append(ask)
        self.previews.append(preview)
        await asyncio.sleep(0)
        if not self.present:
            return Answer(ask.id, ask.default, by="nobody")
        if not self._answers:
            raise AssertionError(f"nobody scripted an answer to {ask.title!r}")
        answer = self._answers.pop(0)
        choice, content = (answer, None) if isinstance(answer, str) else answer
        return Answer(ask.id, choice, content)

    def answer(self, answer: Answer) -> bool:
        """Nothing is ever open here."""
        return False
