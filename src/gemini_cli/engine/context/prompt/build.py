"""Puts the system prompt together from keyed sections, or from the user's own file.

The result is a pure function of its arguments. Reading the user's file and writing the
finished text happen in `switches` and `prompts`.
"""

import re
from collections.abc import Callable, Collection

from gemini_cli.engine.context.prompt import guidelines, mandates, workflows
from gemini_cli.engine.context.prompt.facts import PromptFacts
from gemini_cli.protocol.mode import Mode


def _primary(facts: PromptFacts) -> str:
    return "" if facts.mode is Mode.PLAN else workflows.primary_workflows(facts)


def _planning(facts: PromptFacts) -> str:
    return workflows.planning_workflow(facts) if facts.mode is Mode.PLAN else ""


SECTIONS: tuple[tuple[str, Callable[[PromptFacts], str]], ...] = (
    ("preamble", mandates.preamble),
    ("coreMandates", mandates.core_mandates),
    ("agentContexts", guidelines.agent_contexts),
    ("agentSkills", guidelines.agent_skills),
    ("hookContext", guidelines.hook_context),
    ("primaryWorkflows", _primary),
    ("planningWorkflow", _planning),
    ("operationalGuidelines", guidelines.operational_guidelines),
    ("interactiveYoloMode", guidelines.yolo_mode),
    ("sandbox", guidelines.sandbox),
    ("git", guidelines.git),
    ("finalReminder", guidelines.final_reminder),
)
"""Section keys are public: each can be switched off from the environment."""

_BLANK_RUN = re.compile(r"\n(?:[ \t]*\n){2,}")
_VARIABLE = re.compile(r"\$\{(AgentSkills|SubAgents|AvailableTools|(\w+)_ToolName)\}")
_TOPIC_LENGTH = 200


def base_prompt(facts: PromptFacts, off: Collection[str] = ()) -> str:
    """Our own text without the sections named in `off`."""
    parts = (make(facts) for key, make in SECTIONS if key.lower() not in off)
    return "\n\n".join(part for part in parts if part)


def substituted(template: str, facts: PromptFacts) -> str:
    """The user's own base prompt with its variables filled in; unknown ones stay."""

    def value(match: re.Match[str]) -> str:
        name, tool = match.group(1), match.group(2)
        if tool:
            return tool if tool in facts.tools else match.group(0)
        if name == "AgentSkills":
            return guidelines.agent_skills(facts)
        if name == "SubAgents":
            return guidelines.agent_contexts(facts)
        return "\n".join(f"- {known}" for known in facts.tools)

    return _VARIABLE.sub(value, template)


def finished(base: str, memory: str = "", topic: str = "") -> str:
    """The whole system instruction: base, memory, and the topic on the last line."""
    line = " ".join(topic.replace("]", "").replace("[", "").split())[:_TOPIC_LENGTH]
    parts = [base.strip(), memory.strip(), f"[Current topic: {line}]" if line else ""]
    return _BLANK_RUN.sub("\n\n", "\n\n".join(part for part in parts if part))
