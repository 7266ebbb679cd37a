"""Questions about blocks and messages that a consumer of Claude's format asks.

They take our blocks or the plain objects of their JSON form. They change nothing.
"""

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_str
from gemini_cli.transcripts.model import SlashCommandBlock, TextBlock, ToolUseBlock, UnifiedMessage


def extract_text_content(message: UnifiedMessage | JsonObject) -> str:
    """A str content as it is; otherwise the text blocks joined without a seam."""
    content = message.get("content") if isinstance(message, dict) else message.content
    if isinstance(content, str):
        return content
    return "".join(map(_text, content)) if isinstance(content, list) else ""


def _text(block: object) -> str:
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, dict) and block.get("type") == "text":
        return as_str(block.get("text"))
    return ""


def tool_name(block: object) -> str | None:
    """The tool's name when the block is a tool call."""
    if isinstance(block, ToolUseBlock):
        return block.name
    if isinstance(block, dict) and block.get("type") == "tool_use":
        name: JsonValue = block.get("name")
        return name if isinstance(name, str) else None
    return None


def is_bash_tool(block: object) -> bool:
    """A shell command."""
    return tool_name(block) == "Bash"


def is_read_tool(block: object) -> bool:
    """A file being read."""
    return tool_name(block) == "Read"


def is_write_tool(block: object) -> bool:
    """A file being written whole."""
    return tool_name(block) == "Write"


def is_edit_tool(block: object) -> bool:
    """A replacement inside a file."""
    return tool_name(block) == "Edit"


def is_glob_tool(block: object) -> bool:
    """A search for file names."""
    return tool_name(block) == "Glob"


def is_grep_tool(block: object) -> bool:
    """A search in file contents."""
    return tool_name(block) == "Grep"


def is_todo_write_tool(block: object) -> bool:
    """The task list being rewritten."""
    return tool_name(block) == "TodoWrite"


def is_web_search_tool(block: object) -> bool:
    """A web search."""
    return tool_name(block) == "WebSearch"


def is_ask_user_question_tool(block: object) -> bool:
    """Questions put to the person."""
    return tool_name(block) == "AskUserQuestion"


def is_exit_plan_mode_tool(block: object) -> bool:
    """A plan handed in for approval."""
    return tool_name(block) == "ExitPlanMode"


def is_mcp_tool(block: object) -> bool:
    """A tool of an MCP server."""
    return (tool_name(block) or "").startswith("mcp__")


def is_slash_command(block: object) -> bool:
    """A slash command the person typed."""
    return isinstance(block, SlashCommandBlock) or (
        isinstance(block, dict) and block.get("type") == "slash_command"
    )
