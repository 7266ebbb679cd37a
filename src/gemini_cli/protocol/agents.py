"""What a subagent is: a named helper with its own instructions, tools and limits.

The loop opens a child session for it; where the definition came from (a Markdown file, an
extension, Python code) is of no interest here.
"""

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject


class AgentSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """A subagent that can be called like a tool."""

    name: str
    description: str
    instructions: str
    tools: tuple[str, ...] | None = None
    """Names it may use; None means all but other agents."""
    model: str | None = None
    max_steps: int = 30
    max_minutes: float = 10.0
    schema: JsonObject = {}
    """What it is called with; a `prompt` string where empty."""
    output_schema: JsonObject | None = None
    display_name: str = ""
