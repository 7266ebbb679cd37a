"""Any coding CLI's sessions as one Claude-shaped message type; the public door of the room.

Names are imported on first use, so that `import gemini_cli.transcripts` is nearly free.
It does not talk to models and never writes into another tool's files.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gemini_cli.transcripts.archive.index import (
        Index as Index,
        open_index as open_index,
    )
    from gemini_cli.transcripts.archive.search import (
        Filters as Filters,
        Hit as Hit,
        SearchResult as SearchResult,
        search_sessions as search_sessions,
    )
    from gemini_cli.transcripts.archive.stats import (
        Stats as Stats,
        session_stats as session_stats,
    )
    from gemini_cli.transcripts.capabilities import (
        AgentCapabilities as AgentCapabilities,
        ModelInfo as ModelInfo,
        get_capabilities as get_capabilities,
    )
    from gemini_cli.transcripts.codec import (
        block_from_dict as block_from_dict,
        block_to_dict as block_to_dict,
        dump_lines as dump_lines,
        dumps as dumps,
        from_dict as from_dict,
        loads as loads,
        to_dict as to_dict,
    )
    from gemini_cli.transcripts.detect import (
        detect_cli as detect_cli,
    )
    from gemini_cli.transcripts.errors import (
        CliNotFoundError as CliNotFoundError,
        MissingZstdError as MissingZstdError,
        SessionCorruptError as SessionCorruptError,
        SessionNotFoundError as SessionNotFoundError,
        SessionTooLargeError as SessionTooLargeError,
        UnknownToolError as UnknownToolError,
    )
    from gemini_cli.transcripts.launch.json_text import (
        extract_json as extract_json,
        find_json as find_json,
    )
    from gemini_cli.transcripts.launch.options import (
        ExecuteOptions as ExecuteOptions,
        StreamEvent as StreamEvent,
        ToolSettings as ToolSettings,
    )
    from gemini_cli.transcripts.launch.process import (
        KillResult as KillResult,
        kill_process as kill_process,
    )
    from gemini_cli.transcripts.launch.result import (
        ExecuteResult as ExecuteResult,
    )
    from gemini_cli.transcripts.launch.run import (
        MessageStream as MessageStream,
        execute as execute,
        stream as stream,
    )
    from gemini_cli.transcripts.listing import (
        alist_sessions as alist_sessions,
        list_sessions as list_sessions,
        resume_numbers as resume_numbers,
    )
    from gemini_cli.transcripts.load import (
        LoadedSession as LoadedSession,
        aiter_messages as aiter_messages,
        find_session as find_session,
        iter_messages as iter_messages,
        load_messages as load_messages,
        load_messages_sync as load_messages_sync,
        load_session as load_session,
    )
    from gemini_cli.transcripts.model import (
        Base64Source as Base64Source,
        DocumentBlock as DocumentBlock,
        ImageBlock as ImageBlock,
        KnownTool as KnownTool,
        LoadReport as LoadReport,
        NormalizedUsage as NormalizedUsage,
        RefSource as RefSource,
        Role as Role,
        SessionInfo as SessionInfo,
        SlashCommandBlock as SlashCommandBlock,
        Source as Source,
        TextBlock as TextBlock,
        ThinkingBlock as ThinkingBlock,
        ToolResultBlock as ToolResultBlock,
        ToolUseBlock as ToolUseBlock,
        UnifiedContent as UnifiedContent,
        UnifiedMessage as UnifiedMessage,
        UnknownBlock as UnknownBlock,
        UrlSource as UrlSource,
        Usage as Usage,
    )
    from gemini_cli.transcripts.options import (
        LoadOptions as LoadOptions,
        SessionQuery as SessionQuery,
    )
    from gemini_cli.transcripts.parsing import (
        parse_message as parse_message,
    )
    from gemini_cli.transcripts.predicates import (
        extract_text_content as extract_text_content,
        is_ask_user_question_tool as is_ask_user_question_tool,
        is_bash_tool as is_bash_tool,
        is_edit_tool as is_edit_tool,
        is_exit_plan_mode_tool as is_exit_plan_mode_tool,
        is_glob_tool as is_glob_tool,
        is_grep_tool as is_grep_tool,
        is_mcp_tool as is_mcp_tool,
        is_read_tool as is_read_tool,
        is_slash_command as is_slash_command,
        is_todo_write_tool as is_todo_write_tool,
        is_web_search_tool as is_web_search_tool,
        is_write_tool as is_write_tool,
    )
    from gemini_cli.transcripts.registry import (
        Detector as Detector,
        Executor as Executor,
        Found as Found,
        Loader as Loader,
        ToolEntry as ToolEntry,
        register_tool as register_tool,
        tool_names as tool_names,
        unregister_tool as unregister_tool,
    )
    from gemini_cli.transcripts.validate import (
        Complaint as Complaint,
        validate as validate,
    )

_MODULES: dict[str, tuple[str, ...]] = {
    "archive.index": (
        "Index",
        "open_index",
    ),
    "archive.search": (
        "Filters",
        "Hit",
        "SearchResult",
        "search_sessions",
    ),
    "archive.stats": (
        "Stats",
        "session_stats",
    ),
    "capabilities": (
        "AgentCapabilities",
        "ModelInfo",
        "get_capabilities",
    ),
    "codec": (
        "block_from_dict",
        "block_to_dict",
        "dump_lines",
        "dumps",
        "from_dict",
        "loads",
        "to_dict",
    ),
    "detect": ("detect_cli",),
    "errors": (
        "CliNotFoundError",
        "MissingZstdError",
        "SessionCorruptError",
        "SessionNotFoundError",
        "SessionTooLargeError",
        "UnknownToolError",
    ),
    "launch.json_text": (
        "extract_json",
        "find_json",
    ),
    "launch.options": (
        "ExecuteOptions",
        "StreamEvent",
        "ToolSettings",
    ),
    "launch.process": (
        "KillResult",
        "kill_process",
    ),
    "launch.result": ("ExecuteResult",),
    "launch.run": (
        "MessageStream",
        "execute",
        "stream",
    ),
    "listing": (
        "alist_sessions",
        "list_sessions",
        "resume_numbers",
    ),
    "load": (
        "LoadedSession",
        "aiter_messages",
        "find_session",
        "iter_messages",
        "load_messages",
        "load_messages_sync",
        "load_session",
    ),
    "model": (
        "Base64Source",
        "DocumentBlock",
        "ImageBlock",
        "KnownTool",
        "LoadReport",
        "NormalizedUsage",
        "RefSource",
        "Role",
        "SessionInfo",
        "SlashCommandBlock",
        "Source",
        "TextBlock",
        "ThinkingBlock",
        "ToolResultBlock",
        "ToolUseBlock",
        "UnifiedContent",
        "UnifiedMessage",
        "UnknownBlock",
        "UrlSource",
        "Usage",
    ),
    "options": (
        "LoadOptions",
        "SessionQuery",
    ),
    "parsing": ("parse_message",),
    "predicates": (
        "extract_text_content",
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
    ),
    "registry": (
        "Detector",
        "Executor",
        "Found",
        "Loader",
        "ToolEntry",
        "register_tool",
        "tool_names",
        "unregister_tool",
    ),
    "validate": (
        "Complaint",
        "validate",
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
