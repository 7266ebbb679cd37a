"""What a reducer made of events, as the tests compare it."""

from typing import Any

from gemini_cli.transcripts.launch import reducer_for
from gemini_cli.transcripts.model import (
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedMessage,
)

Event = dict[str, Any]


def reduce(tool: str, *events: Event, **settings: Any) -> tuple[list[UnifiedMessage], Any]:
    reducer = reducer_for(tool, **settings)
    messages = [m for event in events for m in reducer.feed(event, 1000)]
    return messages + reducer.finish(), reducer.outcome


def shape(messages: list[UnifiedMessage]) -> list[tuple[Any, ...]]:
    """Roles and blocks, short enough to compare at a glance."""
    return [(message.role, *map(_block, message.blocks)) for message in messages]


def _block(block: Any) -> Any:
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return f"~{block.thinking}"
        case ToolUseBlock():
            return (block.name, block.input)
        case ToolResultBlock():
            return ("!" if block.is_error else "=") + str(block.content)
        case _:
            return block
