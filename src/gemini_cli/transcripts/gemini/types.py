"""The shape of Gemini CLI's records, for readers of the code and for type checkers.

Nothing is validated against these: a file may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject

Status = Literal[
    "success", "error", "cancelled", "validating", "scheduled", "executing", "awaiting_approval"
]


class Thought(TypedDict, total=False):
    subject: str
    description: str
    timestamp: str


class Tokens(TypedDict, total=False):
    """`input` is the whole prompt, `cached` a part of it; `thoughts` are not in `output`."""

    input: int
    output: int
    cached: int
    thoughts: int
    tool: int
    total: int


class ToolCallRecord(TypedDict, total=False):
    id: str
    name: str
    args: JsonObject
    result: Any
    status: Status
    timestamp: str
    displayName: str
    description: str
    resultDisplay: Any
    renderOutputAsMarkdown: bool
    agentId: str


class MessageRecord(TypedDict, total=False):
    id: str
    timestamp: str
    type: Literal["user", "gemini", "info", "warning", "error"]
    content: Any
    displayContent: Any
    toolCalls: list[ToolCallRecord]
    thoughts: list[Thought]
    tokens: Tokens | None
    model: str
