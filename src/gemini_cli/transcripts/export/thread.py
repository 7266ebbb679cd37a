"""Arranges messages for reading: each call beside its result, each run of one speaker together.

Where the result lies in the list does not matter; a result without a call is kept and shown on
its own. Shapes only: no HTML and no Markdown here.
"""

from collections.abc import Sequence

from msgspec import Struct

from gemini_cli.transcripts.archive.prices import cost_of
from gemini_cli.transcripts.archive.responses import last_of_response
from gemini_cli.transcripts.model import (
    SlashCommandBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)


class Exchange(Struct, frozen=True):
    """A tool call with the answer it got, if any."""

    call: ToolUseBlock
    result: ToolResultBlock | None = None


Item = UnifiedContent | Exchange


class Entry(Struct, frozen=True):
    """One message as it is shown. `number` counts from 1 and names its anchor."""

    number: int
    message: UnifiedMessage
    items: list[Item]
    follows: bool = False
    """The same speaker goes on; no new heading is needed."""
    usage: Usage | None = None
    """Set where the request's tokens are counted: once for each response."""


def arrange(messages: Sequence[UnifiedMessage]) -> list[Entry]:
    """The entries; a message that only held results of earlier calls disappears in them."""
    results = _results(messages)
    calls = {
        block.id
        for message in messages
        for block in message.blocks
        if isinstance(block, ToolUseBlock)
    }
    counted = last_of_response(messages)
    entries: list[Entry] = []
    for index, message in enumerate(messages):
        items: list[Item] = []
        for block in message.blocks:
            if isinstance(block, ToolUseBlock):
                items.append(Exchange(block, results.pop(block.id, None)))
            elif not (isinstance(block, ToolResultBlock) and block.tool_use_id in calls):
                items.append(block)
        usage = message.usage if index in counted else None
        if not items and usage is None:
            continue
        before = entries[-1].message if entries else None
        entries.append(Entry(len(entries) + 1, message, items, _goes_on(before, message), usage))
    return entries


def _results(messages: Sequence[UnifiedMessage]) -> dict[str, ToolResultBlock]:
    found: dict[str, ToolResultBlock] = {}
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolResultBlock):
                found.setdefault(block.tool_use_id, block)
    return found


def _goes_on(before: UnifiedMessage | None, message: UnifiedMessage) -> bool:
    return (
        before is not None
        and message.role == "assistant"
        and (before.role, before.model, before.is_sidechain)
        == (message.role, message.model, message.is_sidechain)
    )


class Sums(Struct, frozen=True):
    """A conversation's tokens, price and calls; `unpriced` are requests without a known price."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float | None = None
    unpriced: int = 0
    calls: int = 0
    failed: int = 0


def sums(entries: Sequence[Entry]) -> Sums:
    """The totals over all entries."""
    total_in = total_cached = total_out = unpriced = 0
    cost: float | None = None
    exchanges = [item for entry in entries for item in entry.items if isinstance(item, Exchange)]
    failed = sum(item.result is not None and item.result.is_error for item in exchanges)
    for entry in entries:
        if entry.usage is None:
            continue
        fresh, read, written, output, reasoning = entry.usage.normalized()
        total_in += fresh + read + written
        total_cached += read
        total_out += output + reasoning
        price = cost_of(entry.usage, entry.message.model)
        if price is None:
            unpriced += 1
        else:
            cost = (cost or 0.0) + price
    return Sums(total_in, total_cached, total_out, cost, unpriced, len(exchanges), failed)


def headline(message: UnifiedMessage, limit: int = 90) -> str:
    """The first words of a message, for a table of contents."""
    for block in message.blocks:
        if isinstance(block, SlashCommandBlock):
            return f"{block.command} {block.args or ''}".strip()[:limit]
        if isinstance(block, TextBlock) and block.text.strip():
            flat = " ".join(block.text.split())
            return flat if len(flat) <= limit else flat[: limit - 1] + "…"
    return ""


def argument(call: ToolUseBlock, limit: int = 120) -> str:
    """What a call is about, in a few characters."""
    keys = _ABOUT.get(call.name, ())
    values = [call.input[key] for key in keys if isinstance(call.input.get(key), str)]
    if not values:
        values = [value for value in call.input.values() if isinstance(value, str)][:1]
    flat = " ".join(" ".join(values).split())
    if keys == ("file_path",):  # the end of a path says more than its beginning
        limit = min(limit, _PATH)
        return flat if len(flat) <= limit else "…" + flat[1 - limit :]
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_PATH = 72
_ABOUT: dict[str, tuple[str, ...]] = {
    "Bash": ("command",),
    "Read": ("file_path",),
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "Glob": ("pattern", "path"),
    "Grep": ("pattern", "path"),
    "WebSearch": ("query",),
    "WebFetch": ("url",),
    "Task": ("description",),
    "Skill": ("skill",),
}
