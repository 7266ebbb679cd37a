"""Any coding CLI's sessions as one Claude-shaped message type; the public door of the room.

Names are imported on first use, so that `import gemini_cli.transcripts` is nearly free.
It does not talk to models and never writes into another tool's files.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gemini_cli.transcripts.aio import (
        aiter_messages,
        alist_sessions,
        load_messages,
    )
    from gemini_cli.transcripts.archive.index import (
        Index,
        open_index,
    )
    from gemini_cli.transcripts.archive.search import (
        Filters,
        Hit,
        SearchResult,
        search_sessions,
    )
    from gemini_cli.transcripts.archive.stats import (
        Stats,
        session_stats,
    )
    from gemini_cli.transcripts.capabilities import (
        AgentCapabilities,
        ModelInfo,
        get_capabilities,
    )
    from gemini_cli.transcripts.codec import (
        block_from_dict,
        block_to_dict,
        dump_lines,
        dumps,
        from_dict,
        loads,
        to_dict,
    )
    from gemini_cli.transcripts.detect import (
        detect_cli,
    )
    from gemini_cli.transcripts.errors import (
        CliNotFoundError,
        MissingZstdError,
        SessionCorruptError,
        SessionNotFoundError,
        SessionTooLargeError,
        UnknownToolError,
    )
    from gemini_cli.transcripts.export.html import (
        page,
    )
    from gemini_cli.transcripts.export.json import (
        json_document,
    )
    from gemini_cli.transcripts.export.markdown import (
        markdown_document,
    )
    from gemini_cli.transcripts.invariant import (
        Complaint,
        validate,
    )
    from gemini_cli.transcripts.launch.json_text import (
        extract_json,
        find_json,
    )
    from gemini_cli.transcripts.launch.options import (
        Delta,
        ExecuteOptions,
        PermissionMode,
        StreamEvent,
        ToolSettings,
    )
    from gemini_cli.transcripts.launch.process import (
        KillResult,
        kill_process,
    )
    from gemini_cli.transcripts.launch.result import (
        ExecuteResult,
    )
    from gemini_cli.transcripts.launch.run import (
        MessageStream,
        execute,
        stream,
    )
    from gemini_cli.transcripts.listing import (
        list_sessions,
        resume_numbers,
    )
    from gemini_cli.transcripts.load import (
        LoadedSession,
        find_session,
        iter_messages,
        load_messages_sync,
        load_session,
    )
    from gemini_cli.transcripts.model import (
        Base64Source,
        DocumentBlock,
        ImageBlock,
        KnownTool,
        LoadReport,
        NormalizedUsage,
        RefSource,
        Role,
        SessionInfo,
        SlashCommandBlock,
        Source,
        TextBlock,
        ThinkingBlock,
        ToolResultBlock,
        ToolUseBlock,
        UnifiedContent,
        UnifiedMessage,
        UnknownBlock,
        UrlSource,
        Usage,
    )
    from gemini_cli.transcripts.options import (
        LoadOptions,
        SessionQuery,
    )
    from gemini_cli.transcripts.parsing import (
        parse_message,
    )
    from gemini_cli.transcripts.predicates import (
        extract_text_content,
        is_ask_user_question_tool,
        is_bash_tool,
        is_edit_tool,
        is_exit_plan_mode_tool,
        is_glob_tool,
        is_grep_tool,
        is_mcp_tool,
        is_read_tool,
        is_slash_command,
        is_todo_write_tool,
        is_web_search_tool,
        is_write_tool,
    )
    from gemini_cli.transcripts.registry import (
        Detector,
        Executor,
        Found,
        Loader,
        ToolEntry,
        register_tool,
        tool_names,
        unregister_tool,
    )

__all__ = [
    "AgentCapabilities",
    "Base64Source",
    "CliNotFoundError",
    "Complaint",
    "Delta",
    "Detector",
    "DocumentBlock",
    "ExecuteOptions",
    "ExecuteResult",
    "Executor",
    "Filters",
    "Found",
    "Hit",
    "ImageBlock",
    "Index",
    "KillResult",
    "KnownTool",
    "LoadOptions",
    "LoadReport",
    "LoadedSession",
    "Loader",
    "MessageStream",
    "MissingZstdError",
    "ModelInfo",
    "NormalizedUsage",
    "PermissionMode",
    "RefSource",
    "Role",
    "SearchResult",
    "SessionCorruptError",
    "SessionInfo",
    "SessionNotFoundError",
    "SessionQuery",
    "SessionTooLargeError",
    "SlashCommandBlock",
    "Source",
    "Stats",
    "StreamEvent",
    "TextBlock",
    "ThinkingBlock",
    "ToolEntry",
    "ToolResultBlock",
    "ToolSettings",
    "ToolUseBlock",
    "UnifiedContent",
    "UnifiedMessage",
    "UnknownBlock",
    "UnknownToolError",
    "UrlSource",
    "Usage",
    "aiter_messages",
    "alist_sessions",
    "block_from_dict",
    "block_to_dict",
    "detect_cli",
    "dump_lines",
    "dumps",
    "execute",
    "extract_json",
    "extract_text_content",
    "find_json",
    "find_session",
    "from_dict",
    "get_capabilities",
    "is_ask_user_question_tool",
    "is_bash_tool",
    "is_edit_tool",
    "is_exit_plan_mode_tool",
    "is_glob_tool",
    "is_grep_tool",
    "is_mcp_tool",
    "is_read_tool",
    "is_slash_command",
    "is_todo_write_tool",
    "is_web_search_tool",
    "is_write_tool",
    "iter_messages",
    "json_document",
    "kill_process",
    "list_sessions",
    "load_messages",
    "load_messages_sync",
    "load_session",
    "loads",
    "markdown_document",
    "open_index",
    "page",
    "parse_message",
    "register_tool",
    "resume_numbers",
    "search_sessions",
    "session_stats",
    "stream",
    "to_dict",
    "tool_names",
    "unregister_tool",
    "validate",
]

_MODULES = {
    "aio": "aiter_messages alist_sessions load_messages",
    "archive.index": "Index open_index",
    "archive.search": "Filters Hit SearchResult search_sessions",
    "archive.stats": "Stats session_stats",
    "capabilities": "AgentCapabilities ModelInfo get_capabilities",
    "codec": "block_from_dict block_to_dict dump_lines dumps from_dict loads to_dict",
    "detect": "detect_cli",
    "export.html": "page",
    "export.json": "json_document",
    "export.markdown": "markdown_document",
    "errors": (
        "CliNotFoundError MissingZstdError SessionCorruptError SessionNotFoundError "
        "SessionTooLargeError UnknownToolError"
    ),
    "invariant": "Complaint validate",
    "launch.json_text": "extract_json find_json",
    "launch.options": "Delta ExecuteOptions PermissionMode StreamEvent ToolSettings",
    "launch.process": "KillResult kill_process",
    "launch.result": "ExecuteResult",
    "launch.run": "MessageStream execute stream",
    "listing": "list_sessions resume_numbers",
    "load": "LoadedSession find_session iter_messages load_messages_sync load_session",
    "model": (
        "Base64Source DocumentBlock ImageBlock KnownTool LoadReport NormalizedUsage "
        "RefSource Role SessionInfo SlashCommandBlock Source TextBlock ThinkingBlock "
        "ToolResultBlock ToolUseBlock UnifiedContent UnifiedMessage UnknownBlock "
        "UrlSource Usage"
    ),
    "options": "LoadOptions SessionQuery",
    "parsing": "parse_message",
    "predicates": (
        "extract_text_content is_ask_user_question_tool is_bash_tool is_edit_tool "
        "is_exit_plan_mode_tool is_glob_tool is_grep_tool is_mcp_tool is_read_tool "
        "is_slash_command is_todo_write_tool is_web_search_tool is_write_tool"
    ),
    "registry": (
        "Detector Executor Found Loader ToolEntry register_tool tool_names unregister_tool"
    ),
}
_TOOLS = frozenset({"claude", "codex", "gemini", "cursor", "qwen", "opencode", "copilot"})
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _TOOLS:
        return import_module(f"{__name__}.{name}")
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
