"""What the model is told besides the conversation: rules, surroundings, context files.

`ContextPrompts` implements the `Prompts` port. The room reads context files and folders and
nothing else of the machine; switches and homes come in as values.
"""

from gemini_cli.engine.context.memory import ContextFile, Memory, file_names, load_memory
from gemini_cli.engine.context.opening import Surroundings, directories, session_context
from gemini_cli.engine.context.prompt import (
    SECTIONS,
    AgentLine,
    PromptFacts,
    SkillLine,
    base_prompt,
    finished,
    substituted,
)
from gemini_cli.engine.context.prompts import ContextPrompts, ContextSettings, ContextSources
from gemini_cli.engine.context.switches import PromptSwitches
from gemini_cli.engine.context.tree import folder_tree

__all__ = [
    "SECTIONS",
    "AgentLine",
    "ContextFile",
    "ContextPrompts",
    "ContextSettings",
    "ContextSources",
    "Memory",
    "PromptFacts",
    "PromptSwitches",
    "SkillLine",
    "Surroundings",
    "base_prompt",
    "directories",
    "file_names",
    "finished",
    "folder_tree",
    "load_memory",
    "session_context",
    "substituted",
]
