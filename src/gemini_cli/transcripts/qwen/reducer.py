"""Turns the events of `qwen --output-format stream-json` into messages.

The shape is Claude's; the tools in it are still Qwen's own and are renamed here.
"""

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.claude.reducer import ClaudeReducer
from gemini_cli.transcripts.model import Role, ToolUseBlock, UnifiedContent
from gemini_cli.transcripts.qwen.names import map_call


class QwenReducer(ClaudeReducer):
    """Claude's reducer with Qwen's tool names."""

    tool = "qwen"

    def blocks(self, message: JsonObject, role: Role) -> list[UnifiedContent]:
        """The content, calls in Claude's vocabulary."""
        return [
            ToolUseBlock(block.id, *map_call(block.name, block.input, self.mcp_servers))
            if isinstance(block, ToolUseBlock)
            else block
            for block in super().blocks(message, role)
        ]
