"""Which reducer understands which CLI's stream; each is imported when first asked for.

A table and one function. It knows no stream itself.
"""

from collections.abc import Iterable
from importlib import import_module

from gemini_cli.transcripts.errors import UnknownToolError
from gemini_cli.transcripts.launch.reduce import OnDelta, Reducer

_CLASSES = {
    "gemini": "GeminiReducer",
    "claude": "ClaudeReducer",
    "codex": "CodexReducer",
    "cursor": "CursorReducer",
    "qwen": "QwenReducer",
    "opencode": "OpencodeReducer",
    "copilot": "CopilotReducer",
}


def reducer_for(
    tool: str, *, on_delta: OnDelta | None = None, mcp_servers: Iterable[str] = ()
) -> Reducer:
    """A fresh reducer for the stream of `tool`."""
    name = _CLASSES.get(tool)
    if name is None:
        raise UnknownToolError(tool)
    kind: type[Reducer] = getattr(import_module(f"gemini_cli.transcripts.{tool}.reducer"), name)
    return kind(on_delta=on_delta, mcp_servers=mcp_servers)
