"""The system prompt: keyed sections whose text depends on facts, and nothing else.

Everything the wording depends on comes in as `PromptFacts`; this folder reads no files.
"""

from gemini_cli.engine.context.prompt.build import SECTIONS, base_prompt, finished, substituted
from gemini_cli.engine.context.prompt.facts import AgentLine, PromptFacts, SandboxKind, SkillLine

__all__ = [
    "SECTIONS",
    "AgentLine",
    "PromptFacts",
    "SandboxKind",
    "SkillLine",
    "base_prompt",
    "finished",
    "substituted",
]
