"""The arrangements a caller may choose: where results live, in which order blocks come, images.

Each is a pure step from messages to messages, applied after a vendor's own parser. None of
them knows how a vendor stores anything.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefSource,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    UnifiedContent,
    UnifiedMessage,
)
from gemini_cli.transcripts.options import LoadOptions

_SEED_ORDER = ("gemini", "qwen")


def arrange(
    messages: Iterator[UnifiedMessage], options: LoadOptions, path: str | None = None
) -> Iterator[UnifiedMessage]:
    """The options of layout, one after another; nothing happens under the defaults.

    `path` is the file that still holds what `images="ref"` leaves out.
    """
    if options.order == "chronological":
        messages = map(chronological, messages)
    if options.images == "drop":
        messages = (_with_media(m, lambda source: None) for m in messages)
    elif options.images == "ref":
        messages = (_with_media(m, partial(reference, path=path)) for m in messages)
    if options.result_layout == "claude":
        messages = (part for m in messages for part in claude_layout(m))
    return messages


def chronological(message: UnifiedMessage) -> UnifiedMessage:
    """Text before the tool calls, for the tools whose default order puts it last."""
    if isinstance(message.content, str) or message.tool not in _SEED_ORDER:
        return message
    return replace(message, content=sorted(message.content, key=_rank))


def _rank(block: UnifiedContent) -> int:
    if isinstance(block, ThinkingBlock):
        return 0
    return 1 if isinstance(block, TextBlock) else 2


def claude_layout(message: UnifiedMessage) -> list[UnifiedMessage]:
    """Results out of the assistant's message into a user message that follows it."""
    if message.role != "assistant" or isinstance(message.content, str) or message.tool == "claude":
        return [message]
    results = [b for b in message.content if isinstance(b, ToolResultBlock)]
    rest = [b for b in message.content if not isinstance(b, ToolResultBlock)]
    if not results:
        return [message]
    moved: list[UnifiedContent] = list(results)
    if not rest:
        return [replace(message, role="user", content=moved)]
    answer = replace(
        message,
        id=f"{message.id}_results",
        role="user",
        content=moved,
        model=None,
        usage=None,
        parent_id=message.id,
    )
    return [replace(message, content=rest), answer]


def reference(source: Base64Source, path: str | None = None) -> RefSource:
    """What stands for inline data that stays in the file."""
    return RefSource(digest(source.data), len(source.data), source.media_type, path)


def digest(data: str) -> str:
    """The SHA-256 of the base64 text."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()


Stand = Callable[[Base64Source], RefSource | None]


def _with_media(message: UnifiedMessage, stand: Stand) -> UnifiedMessage:
    if isinstance(message.content, str):
        return message
    payloads: dict[str, str] = {}
    content = _blocks(message.content, stand, payloads)
    original = _without(message.original, payloads, 0) if payloads else message.original
    return replace(message, content=content or "", original=original)


def _blocks(
    blocks: list[UnifiedContent], stand: Stand, payloads: dict[str, str]
) -> list[UnifiedContent]:
    kept: list[UnifiedContent] = []
    for block in blocks:
        if isinstance(block, ToolResultBlock) and not isinstance(block.content, str):
            kept.append(replace(block, content=_blocks(block.content, stand, payloads) or ""))
        elif isinstance(block, ImageBlock | DocumentBlock) and isinstance(
            block.source, Base64Source
        ):
            if block.source.data:
                payloads[block.source.data] = f"sha256:{digest(block.source.data)}"
            source = stand(block.source)
            if source is not None:
                kept.append(replace(block, source=source))
        else:
            kept.append(block)
    return kept


def _without(value: JsonValue, payloads: dict[str, str], depth: int) -> JsonValue:
    """The record with the payloads themselves, or data URLs holding them, taken out."""
    if isinstance(value, str):
        if value in payloads:
            return payloads[value]
        head, comma, data = value.partition(",") if value.startswith("data:") else ("", "", "")
        return head + comma + payloads[data] if data in payloads else value
    if depth > 64:
        return value
    if isinstance(value, list):
        return [_without(item, payloads, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _without(item, payloads, depth + 1) for key, item in value.items()}
    return value
