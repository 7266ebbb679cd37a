"""Rules as a table from tool names to verdicts; everything else is allowed.

Records what was decided about and what was granted.
"""

import asyncio
from collections.abc import Mapping, Sequence

from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import CANCEL, ONCE, Ask, AskChoice, Scope
from gemini_cli.protocol.policy import CallFacts, Decision, Verdict
from gemini_cli.protocol.tools import Tool

CHOICES = (
    AskChoice(ONCE, "Allow once", "once"),
    AskChoice("proceed_always", "Allow for this session", "session"),
    AskChoice(CANCEL, "No"),
)


class FakePolicy:
    """Implements `Policy`."""

    def __init__(
        self,
        verdicts: Mapping[str, Verdict | Decision] | None = None,
        *,
        hidden: Sequence[str] = (),
    ) -> None:
        self.verdicts = dict(verdicts or {})
        self.hidden = set(hidden)
        self.facts: list[CallFacts] = []
        self.granted: list[tuple[str, Scope]] = []

    async def decide(self, facts: CallFacts) -> Decision:
        """By the tool's name."""
        self.facts.append(facts)
        await asyncio.sleep(0)
        verdict = self.verdicts.get(facts.name, Verdict.ALLOW)
        return verdict if isinstance(verdict, Decision) else Decision(verdict)

    def hides(self, tool: Tool, mode: Mode, interactive: bool) -> bool:
        """Those named as hidden."""
        return tool.name in self.hidden

    def choices(self, facts: CallFacts) -> Ask:
        """Once, for the session, or no."""
        title = f"Allow {facts.name}?"
        return Ask(id="", kind="approval", title=title, choices=CHOICES, default=CANCEL)

    async def grant(self, facts: CallFacts, scope: Scope) -> None:
        """Remembers it, and allows the tool from now on."""
        self.granted.append((facts.name, scope))
        self.verdicts[facts.name] = Verdict.ALLOW
