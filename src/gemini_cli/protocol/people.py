"""Questions that wait for a person, and their answers.

An ask is published as an event and may be answered by any face; the first answer wins.
Where nobody can answer, the documented `default` is taken at once.
"""

from typing import Literal, Protocol, TypeAlias

import msgspec

from gemini_cli.protocol.display import Preview
from gemini_cli.protocol.ids import AgentPath
from gemini_cli.protocol.jsonvalue import JsonObject

AskKind: TypeAlias = Literal["approval", "question", "trust", "consent", "sign_in", "quota", "form"]

Scope: TypeAlias = Literal["once", "session", "always", "tool", "server"]
"""How far an approval reaches."""

ONCE = "proceed_once"
CANCEL = "cancel"


class AskChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way to answer. `id` is what an `Answer` names."""

    id: str
    label: str
    grants: Scope | None = None
    description: str = ""


class Ask(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question that waits. An approval's id is the id of its call."""

    id: str
    kind: AskKind
    title: str
    choices: tuple[AskChoice, ...]
    default: str
    """The choice taken when nobody can answer."""
    message: str = ""
    schema: JsonObject | None = None
    """Shape of `Answer.content`, for a question with fields."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person said. `content` carries edited text or filled-in fields."""

    ask_id: str
    choice: str
    content: JsonObject | None = None
    by: str = "person"


class People(Protocol):
    """Whoever can answer."""

    @property
    def present(self) -> bool:
        """Whether anybody is there to be asked."""
        ...

    async def ask(
        self, ask: Ask, preview: Preview | None = None, *, agent: AgentPath = ()
    ) -> Answer:
        """Waits for the first answer; cancelling the task withdraws the question."""
        ...

    def answer(self, answer: Answer) -> bool:
        """Delivers an answer. False when the question is closed or unknown."""
        ...
