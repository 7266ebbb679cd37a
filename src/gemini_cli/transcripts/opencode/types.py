"""The shape of OpenCode's message and part data, for readers of the code and for type checkers.

Nothing is validated against these: a row may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject


class Tokens(TypedDict, total=False):
    """`input` is without the cache, `output` without `reasoning`."""

    input: int
    output: int
    reasoning: int
    total: int
    cache: JsonObject


class MessageData(TypedDict, total=False):
    id: str
    sessionID: str
    role: Literal["user", "assistant"]
    time: JsonObject
    agent: str
    mode: str
    model: JsonObject
    modelID: str
    providerID: str
    parentID: str
    path: JsonObject
    cost: float
    tokens: Tokens
    error: JsonObject
    finish: str
    summary: Any
    system: Any


class PartData(TypedDict, total=False):
    """Which further keys there are is told by `type`."""

    id: str
    messageID: str
    sessionID: str
    type: str
    text: str
    synthetic: bool
    ignored: bool
    callID: str
    tool: str
    state: JsonObject
    mime: str
    url: str
    filename: str
    time: JsonObject
    tokens: Tokens
    cost: float
    reason: str
    prompt: str
    description: str
    agent: str
    metadata: JsonObject
