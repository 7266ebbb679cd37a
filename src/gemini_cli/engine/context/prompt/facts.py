"""What the wording of the system prompt depends on, as one comparable value.

Two equal values give the same text to the letter, which keeps the service's prompt cache
warm. Nothing here is read from the machine; the caller fills it in.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from gemini_cli.protocol.mode import Mode

SandboxKind: TypeAlias = Literal["none", "seatbelt", "container"]


class SkillLine(Struct, frozen=True):
    """One entry of the skill catalogue."""

    name: str
    description: str
    location: str


class AgentLine(Struct, frozen=True):
    """One entry of the subagent catalogue."""

    name: str
    description: str


class PromptFacts(Struct, frozen=True):
    """Everything a section may ask about."""

    interactive: bool = False
    mode: Mode = Mode.DEFAULT
    model: str = ""
    tools: tuple[str, ...] = ()
    """Names of the tools declared now, in order."""
    git: bool = False
    sandbox: SandboxKind = "none"
    skills: tuple[SkillLine, ...] = ()
    agents: tuple[AgentLine, ...] = ()
    context_names: tuple[str, ...] = ("GEMINI.md",)
    global_memory_file: str = ""
    project_memory_file: str = ""
    plans_dir: str = ""
    approved_plan: str = ""

    def has(self, *tools: str) -> bool:
        """Whether all these tools are declared."""
        return all(tool in self.tools for tool in tools)

    @property
    def old_model(self) -> bool:
        """Models before the third generation follow better with a reminder at the end."""
        return self.model.removeprefix("models/").startswith(("gemini-1", "gemini-2"))
