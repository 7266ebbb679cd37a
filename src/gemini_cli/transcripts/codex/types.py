"""The shape of Codex's rollout lines, for readers of the code and for type checkers.

Nothing is validated against these: a line may hold anything, and the parser coerces.
"""

from typing import Any, Literal, TypedDict

from gemini_cli.protocol.jsonvalue import JsonObject


class RolloutLine(TypedDict, total=False):
    """The envelope since mid-2025; before, a line was the bare payload of a response item."""

    timestamp: str
    ordinal: int
    type: Literal["session_meta", "turn_context", "response_item", "event_msg", "compacted"]
    payload: JsonObject


class SessionMeta(TypedDict, total=False):
    id: str
    timestamp: str
    cwd: str
    originator: str
    cli_version: str
    source: Any
    git: JsonObject
    model_provider: str


class TokenUsage(TypedDict, total=False):
    """`cached_input_tokens` and `reasoning_output_tokens` are parts of the two totals."""

    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int
    total_tokens: int
