"""What the archive keeps of a session: its words by kind, its tokens and its tool calls.

Long texts are cut, so that one huge output does not drown the rest. Days are UTC days. A pure
function of the messages; nothing is written here.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import Struct, field

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.archive.prices import cost_of
from gemini_cli.transcripts.archive.responses import response_key
from gemini_cli.transcripts.archive.script import apart
from gemini_cli.transcripts.model import (
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedMessage,
    Usage,
)

_SAID, _THOUGHT, _INPUT, _OUTPUT = 100_000, 20_000, 4_000, 4_000
_TOOLS = 40_000
UNKNOWN_MODEL = "unknown"


class Words(Struct, frozen=True):
    """The searchable text of one message."""

    name: str
    role: str
    at: int
    said: str
    thought: str
    tools: str


class Spent(Struct):
    """Tokens and price of the requests of one day and model."""

    requests: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def add(self, usage: Usage, model: str | None) -> None:
        """Counts one request."""
        fresh, read, written, output, reasoning = usage.normalized()
        self.requests += 1
        self.input += fresh
        self.cache_read += read
        self.cache_write += written
        self.output += output
        self.reasoning += reasoning
        price = cost_of(usage, model)
        if price is None:
            self.unpriced += 1
        else:
            self.cost += price


class Digest(Struct):
    """One session. Keys are (day, model) and (day, model, tool name)."""

    words: list[Words] = field(default_factory=list)
    responses: dict[str, tuple[str, str | None, Usage]] = field(default_factory=dict)
    """The last usage of each response that has a name, to be counted once over all sessions."""
    spent: dict[tuple[str, str], Spent] = field(default_factory=dict)
    calls: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    session_id: str | None = None
    title: str = ""
    project: str | None = None
    model: str | None = None
    created: int = 0
    updated: int = 0
    messages: int = 0


def digest(messages: Iterable[UnifiedMessage]) -> Digest:
    """The digest of a session's messages."""
    found = Digest()
    pending: dict[str, tuple[str, str, str]] = {}
    for message in messages:
        found.messages += 1
        _facts(found, message)
        _usage(found, message)
        _calls(found, message, pending)
        words = _words(message)
        if words is not None:
            found.words.append(words)
    return found


def _facts(found: Digest, message: UnifiedMessage) -> None:
    found.session_id = found.session_id or message.session_id
    found.model = message.model or found.model
    if message.timestamp > 0:
        found.created = min(found.created or message.timestamp, message.timestamp)
        found.updated = max(found.updated, message.timestamp)
    original = message.original
    if found.project is None and isinstance(original, dict):
        cwd = original.get("cwd")
        found.project = cwd if isinstance(cwd, str) else None
    if not found.title and message.role == "user" and not message.is_meta:
        texts = [block.text for block in message.blocks if isinstance(block, TextBlock)]
        found.title = " ".join(" ".join(texts).split())[:200]


def day_of(milliseconds: int) -> str:
    """The UTC day, or `unknown`."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return "unknown"


def _usage(found: Digest, message: UnifiedMessage) -> None:
    usage = message.usage
    if usage is None:
        return
    day, model = day_of(message.timestamp), message.model
    key = response_key(message)
    if key is not None:
        found.responses["\0".join(key)] = (day, model, usage)
        return
    found.spent.setdefault((day, model or UNKNOWN_MODEL), Spent()).add(usage, model)


def _calls(
    found: Digest, message: UnifiedMessage, pending: dict[str, tuple[str, str, str]]
) -> None:
    for block in message.blocks:
        if isinstance(block, ToolUseBlock):
            model = message.model or found.model or UNKNOWN_MODEL
            key = (day_of(message.timestamp), model, block.name)
            found.calls.setdefault(key, [0, 0])[0] += 1
            pending[block.id] = key
        elif isinstance(block, ToolResultBlock) and block.is_error:
            owner = pending.get(block.tool_use_id)
            if owner is not None:
                found.calls[owner][1] += 1


def _words(message: UnifiedMessage) -> Words | None:
    said: list[str] = []
    thought: list[str] = []
    tools: list[str] = []
    for block in message.blocks:
        match block:
            case TextBlock():
                said.append(block.text)
            case SlashCommandBlock():
                said.append(f"{block.command} {block.args or ''}")
            case ThinkingBlock():
                thought.append(block.thinking)
            case ToolUseBlock():
                tools.append(f"{block.name} {_input(block.input)}")
            case ToolResultBlock():
                tools.append(_result(block))
            case _:
                pass
    parts = [_cut(said, _SAID), _cut(thought, _THOUGHT), _cut(tools, _TOOLS)]
    if not any(part.strip() for part in parts):
        return None
    return Words(message.id, message.role, message.timestamp, *parts)


def _cut(parts: list[str], limit: int) -> str:
    text = "\n".join(parts)[:limit].replace("\0", " ")
    return apart(text.encode("utf-8", "replace").decode())


def _input(args: JsonObject) -> str:
    texts = [value for value in args.values() if isinstance(value, str)]
    if len(texts) < len(args):
        try:
            return json.dumps(args, ensure_ascii=False)[:_INPUT]
        except (ValueError, TypeError, RecursionError):
            pass
    return " ".join(text[:_INPUT] for text in texts)[:_INPUT]


def _result(block: ToolResultBlock) -> str:
    if isinstance(block.content, str):
        return block.content[:_OUTPUT]
    texts = [part.text[:_OUTPUT] for part in block.content if isinstance(part, TextBlock)]
    return " ".join(texts)[:_OUTPUT]
