"""Which messages report the same response's tokens, so that sums count them once.

Claude writes one response as several lines, one for each block, and repeats the numbers on each;
a session that was branched off repeats whole responses in a second file.
"""

from collections.abc import Sequence

from gemini_cli.transcripts.model import UnifiedMessage


def response_key(message: UnifiedMessage) -> tuple[str, str] | None:
    """What names the response a message is part of, where the source says so."""
    original = message.original
    if not isinstance(original, dict) or message.tool != "claude":
        return None
    inner = original.get("message")
    name = inner.get("id") if isinstance(inner, dict) else None
    return (name, str(original.get("requestId") or "")) if isinstance(name, str) else None


def last_of_response(messages: Sequence[UnifiedMessage]) -> set[int]:
    """The places of the messages whose usage counts: of one response only the last."""
    places: dict[object, int] = {}
    for index, message in enumerate(messages):
        if message.usage is not None:
            places[response_key(message) or index] = index
    return set(places.values())
