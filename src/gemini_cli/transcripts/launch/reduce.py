"""The shared half of every stream reducer: open messages, blocks, numbers, the outcome.

A reducer is a pure state machine: it is fed one event at a time with the time of its arrival and
answers with the messages that closed. It starts nothing, reads no clock and raises for no event.
"""

import math
from collections.abc import Callable, Iterable

from msgspec import Struct, field

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_str, dicts, time_ms
from gemini_cli.transcripts.launch.options import Delta
from gemini_cli.transcripts.model import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)
from gemini_cli.transcripts.places import numbered

OnDelta = Callable[[Delta], None]


class Outcome(Struct, kw_only=True):
    """What the stream has said of the run so far. `finished` needs the CLI's own last word."""

    session_id: str | None = None
    model: str | None = None
    finished: bool = False
    failed: bool = False
    error: str | None = None
    answer: str | None = None
    structured: JsonValue = None
    usage: Usage | None = None
    cost_usd: float | None = None
    stats: JsonObject | None = None
    unknown: int = 0


class Draft(Struct, kw_only=True):
    """A message that is still open."""

    id: str
    role: Role
    at: int
    blocks: list[UnifiedContent] = field(default_factory=list)
    kind: type[TextBlock] | type[ThinkingBlock] | None = None
    """What the pieces below become; joined once, for an answer comes in very many of them."""
    pieces: list[str] = field(default_factory=list)
    originals: list[JsonValue] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    has_results: bool = False
    model: str | None = None
    usage: Usage | None = None
    sidechain: bool = False

    def text(self, piece: str) -> None:
        """Continues the text block at the end, or opens one."""
        self._go_on(TextBlock, piece)

    def thinking(self, piece: str) -> None:
        """Continues the thinking block at the end, or opens one."""
        self._go_on(ThinkingBlock, piece)

    def _go_on(self, kind: type[TextBlock] | type[ThinkingBlock], piece: str) -> None:
        if self.kind is not kind:
            self.add()
            self.kind = kind
        self.pieces.append(piece)

    def add(self, *blocks: UnifiedContent) -> None:
        """Adds blocks that are whole; text that was still growing ends before them."""
        if self.kind is not None:
            self.blocks.append(self.kind("".join(self.pieces)))
            self.kind, self.pieces = None, []
        self.blocks += blocks

    def call(self, call_id: str, name: str, args: JsonObject) -> None:
        """Adds a tool call."""
        self.add(ToolUseBlock(call_id, name, args))
        self.calls.add(call_id)

    def results(self, call_id: str, content: "str | list[UnifiedContent]", is_error: bool) -> None:
        """Adds the one answer to a request, for each of the calls that it came to."""
        self.result(call_id, content, is_error)
        number = 0
        while numbered(call_id, number := number + 1) in self.calls:
            self.result(numbered(call_id, number), content, is_error)

    def result(self, call_id: str, content: "str | list[UnifiedContent]", is_error: bool) -> None:
        """Adds the answer to a tool call."""
        self.add(ToolResultBlock(call_id, content, is_error))
        self.has_results = True


class Reducer:
    """Base of the reducers. A subclass answers `on(event)` and lists the types it knows."""

    tool = ""

    def __init__(self, *, on_delta: OnDelta | None = None, mcp_servers: Iterable[str] = ()) -> None:
        self.outcome = Outcome()
        self.mcp_servers = tuple(mcp_servers)
        self._on_delta = on_delta
        self._draft: Draft | None = None
        self._closed: list[UnifiedMessage] = []
        self._count = 0
        self._live_id = ""
        self.at = 0

    def feed(self, event: JsonObject, at: int) -> list[UnifiedMessage]:
        """Takes one event; `at` is its arrival in Unix milliseconds."""
        self.at = time_ms(event.get("timestamp")) or at
        if not self.on(event):
            self.outcome.unknown += 1
        return self._hand_out()

    def finish(self) -> list[UnifiedMessage]:
        """The stream is over: closes what is open."""
        self.close()
        return self._hand_out()

    def count_from(self, before: Usage) -> None:
        """The tokens of earlier runs, for a stream that counts on over all runs of a session."""

    def on(self, event: JsonObject) -> bool:
        """Takes in one event; False when its type means nothing to this reducer."""
        raise NotImplementedError

    def open(self, role: Role, message_id: str | None = None) -> Draft:
        """Closes the open message and opens another."""
        self.close()
        self._draft = Draft(id=message_id or self.fresh_id(), role=role, at=self.at)
        self._draft.model = self.outcome.model if role == "assistant" else None
        return self._draft

    @property
    def draft(self) -> Draft | None:
        """The open message."""
        return self._draft

    def close(self) -> None:
        """Closes the open message, if any; an empty one disappears."""
        draft, self._draft = self._draft, None
        if draft is None:
            return
        draft.add()
        if draft.blocks:
            self._closed.append(self._message(draft))

    def emit(self, role: Role, block: UnifiedContent, event: JsonValue) -> None:
        """Closes the open message and adds one that is whole at once."""
        draft = self.open(role)
        draft.add(block)
        draft.originals.append(event)
        self.close()

    def add(self, message: UnifiedMessage) -> None:
        """Hands out a message that was built elsewhere."""
        self._closed.append(message)

    def fresh_id(self) -> str:
        """Ids are counted, so that feeding the same stream twice gives equal messages."""
        self._count += 1
        return f"{self.outcome.session_id or self.tool}-{self._count}"

    def live(self, kind: str, text: str) -> None:
        """Tells the listener about a piece of text of the open message."""
        if self._on_delta is not None and text:
            message_id = self._draft.id if self._draft else self._live_id
            self._on_delta(Delta("thinking" if kind == "thinking" else "text", text, message_id))

    def fail(self, message: str) -> None:
        """The run did not do what it was asked; the first reason is kept."""
        self.outcome.failed = True
        self.outcome.error = self.outcome.error or message

    def _message(self, draft: Draft) -> UnifiedMessage:
        originals = draft.originals
        return UnifiedMessage(
            id=draft.id,
            role=draft.role,
            content=list(draft.blocks),
            timestamp=draft.at,
            tool=self.tool,
            model=draft.model,
            usage=draft.usage,
            original=originals[0] if len(originals) == 1 else list(originals),
            session_id=self.outcome.session_id,
            is_sidechain=draft.sidechain,
        )

    def _hand_out(self) -> list[UnifiedMessage]:
        closed, self._closed = self._closed, []
        return closed


def cost_of(value: JsonValue) -> float | None:
    """A price in dollars where the source gives one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def as_text(content: JsonValue) -> str:
    """A str as it is; of a list of blocks, the texts joined."""
    if isinstance(content, str):
        return content
    return "".join(as_str(block.get("text")) for block in dicts(content))


def sum_usage(one: Usage | None, two: Usage) -> Usage:
    """Tokens of several requests as one; what no request told stays untold."""
    if one is None:
        return two
    return Usage(
        input_tokens=one.input_tokens + two.input_tokens,
        output_tokens=one.output_tokens + two.output_tokens,
        total_tokens=one.total_tokens + two.total_tokens,
        cache_creation_tokens=_sum(one.cache_creation_tokens, two.cache_creation_tokens),
        cache_read_tokens=_sum(one.cache_read_tokens, two.cache_read_tokens),
        reasoning_tokens=_sum(one.reasoning_tokens, two.reasoning_tokens),
        tool_tokens=_sum(one.tool_tokens, two.tool_tokens),
        basis=one.basis,
    )


def _sum(one: int | None, two: int | None) -> int | None:
    return None if one is None and two is None else (one or 0) + (two or 0)
