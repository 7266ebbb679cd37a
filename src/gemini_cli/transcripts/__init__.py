"""Any coding CLI's sessions as one Claude-shaped message type; the public door of the room.

Names are imported on first use, so that `import gemini_cli.transcripts` is nearly free.
It does not talk to models and never writes into another tool's files.
"""

from importlib import import_module
from typing import Any

_HOME: dict[str, str] = {}
_MODULES = {
    "errors": (
        "CliNotFoundError",
        "MissingZstdError",
        "SessionCorruptError",
        "SessionNotFoundError",
        "SessionTooLargeError",
        "UnknownToolError",
    ),
    "model": (
        "Base64Source",
        "DocumentBlock",
        "ImageBlock",
        "KnownTool",
        "LoadReport",
        "Metadata",
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
    "options": ("LoadOptions", "SessionQuery"),
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
}
for _module, _names in _MODULES.items():
    _HOME.update(dict.fromkeys(_names, _module))


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
