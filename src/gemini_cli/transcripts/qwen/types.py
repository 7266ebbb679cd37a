"""The shape of Qwen Code's lines, for readers of the code and for type checkers.

Nothing is validated against these: a line may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject


class UsageMetadata(TypedDict, total=False):
    """`promptTokenCount` holds the cached tokens; thoughts are not in `candidatesTokenCount`."""

    promptTokenCount: int
    candidatesTokenCount: int
    cachedContentTokenCount: int
    thoughtsTokenCount: int
    toolUsePromptTokenCount: int
    totalTokenCount: int


class ToolCallResult(TypedDict, total=False):
    callId: str
    status: str
    resultDisplay: Any
    error: Any


class QwenLine(TypedDict, total=False):
    """Claude's envelope; `message` holds a role and Gemini's parts."""

    uuid: str
    parentUuid: str | None
    sessionId: str
    timestamp: str
    type: Literal["user", "assistant", "tool_result", "system"]
    subtype: str
    cwd: str
    version: str
    gitBranch: str
    message: JsonObject
    usageMetadata: UsageMetadata
    model: str
    toolCallResult: ToolCallResult
    systemPayload: JsonObject
    agentId: str
    isSidechain: bool
