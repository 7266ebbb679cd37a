"""The port of the rule book: may this call happen, must a person be asked, or never.

A decision is a pure question about the call and the circumstances; asking the person and
acting on the answer is the loop's business.
"""

from enum import StrEnum
from typing import Protocol

import msgspec

from gemini_cli.protocol.ids import AgentPath
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.people import Ask, Scope
from gemini_cli.protocol.tools import Kind, Tool


class Verdict(StrEnum):
    """Spelled as in policy files."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask_user"


class CallFacts(msgspec.Struct, frozen=True):
    """What the rules may look at."""

    name: str
    args: JsonObject
    kind: Kind
    mode: Mode
    interactive: bool
    read_only: bool = False
    server: str | None = None
    agent: AgentPath = ()
    annotations: JsonObject = {}


class Decision(msgspec.Struct, frozen=True):
    """The verdict with the reason a person or the model is told."""

    verdict: Verdict
    reason: str = ""
    rule: str = ""
    """Which rule decided, for `/policies` and for error messages."""


class Policy(Protocol):
    """The rules in force."""

    async def decide(self, facts: CallFacts) -> Decision:
        """May this call happen?"""
        ...

    def hides(self, tool: Tool, mode: Mode, interactive: bool) -> bool:
        """Whether every call of this tool would be denied, so that it is not offered at all."""
        ...

    def choices(self, facts: CallFacts) -> Ask:
        """The approval question for this call; its id is filled in by the asker."""
        ...

    async def grant(self, facts: CallFacts, scope: Scope) -> None:
        """Remembers an "always" for calls like this one."""
        ...
