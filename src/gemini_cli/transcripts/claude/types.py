"""The shape of Claude Code's lines, for readers of the code and for type checkers.

Nothing is validated against these: a line may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject


class ClaudeUsage(TypedDict, total=False):
    """One response's tokens; the cache fields are not part of `input_tokens`."""

    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int
    cache_creation: JsonObject
    service_tier: str


class ClaudeMessage(TypedDict, total=False):
    id: str
    type: str
    role: Literal["user", "assistant"]
    model: str
    content: Any
    stop_reason: str | None
    usage: ClaudeUsage


class ClaudeLine(TypedDict, total=False):
    type: str
    uuid: str
    parentUuid: str | None
    sessionId: str
    timestamp: str
    cwd: str
    gitBranch: str
    isSidechain: bool
    isMeta: bool
    isCompactSummary: bool
    requestId: str
    toolUseResult: Any
    agentId: str
    teamName: str
    message: ClaudeMessage
