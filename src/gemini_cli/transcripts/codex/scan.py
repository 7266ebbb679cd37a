"""A first look over a Codex rollout: what the second reading must know in advance.

Utterances are stored twice, turns can be taken back later, and token counts come before or
after what they count, by version. Only numbers, ids and digests are kept.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.parse import is_context, texts_of
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, opt_str
from gemini_cli.transcripts.lines import Line, decode

_NONE = Raw(b"")
_ITEMS = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        "image_generation_call",
    }
)


class _Payload(Struct):
    type: str | None = None
    call_id: str | None = None
    info: Raw = _NONE


class _Probe(Struct):
    """What is looked at; a line with other types in these places takes the slow road."""

    type: str | None = None
    payload: _Payload | None = None
    call_id: str | None = None


_probe = msgspec.json.Decoder(_Probe).decode


def _slow_probe(value: JsonValue) -> _Probe:
    record, payload = as_dict(value), as_dict(as_dict(value).get("payload"))
    info = Raw(b"{}") if isinstance(payload.get("info"), dict) else _NONE
    inner = _Payload(opt_str(payload.get("type")), opt_str(payload.get("call_id")), info)
    shape = inner if isinstance(record.get("payload"), dict) else None
    return _Probe(opt_str(record.get("type")), shape, opt_str(record.get("call_id")))


class _Uttered(Struct):
    turn: int
    used: bool = False


class Plan(Struct):
    """What is to be left out, kept, and expected."""

    has_items: bool = False
    usage_leads: bool = False
    answered: set[str] = set()
    unique_events: set[int] = set()
    dropped: list[tuple[int, int]] = []

    def is_dropped(self, number: int) -> bool:
        """Whether the line belongs to a turn that was taken back."""
        at = bisect_right(self.dropped, (number, 1 << 62)) - 1
        return at >= 0 and self.dropped[at][0] <= number <= self.dropped[at][1]


class _Scan:
    def __init__(self) -> None:
        self.plan = Plan()
        self.turn = 0
        self.turns: list[int] = []
        self.event_turns: list[int] = []
        self.uttered: dict[tuple[str, int], deque[_Uttered]] = {}
        self.events: list[tuple[int, tuple[str, int], int]] = []
        self.spoke = False
        self.usage_known = False

    def line(self, line: Line) -> None:
        try:
            probe = _probe(line.data)
        except (ValueError, RecursionError):
            probe = _slow_probe(decode(line.data))
        payload, kind = probe.payload, probe.type
        if payload is None:
            if kind in _ITEMS:
                self._item(line, kind, probe.call_id)
        elif kind == "response_item":
            self._item(line, payload.type or "", payload.call_id)
        elif kind == "event_msg":
            self._event(line, payload.type or "", payload)

    def _item(self, line: Line, kind: str, call_id: str | None) -> None:
        self.plan.has_items = True
        if kind == "message":
            self._message(line, _inner(line))
        elif kind.endswith("_output"):
            self.plan.answered.add(call_id or "")
        elif kind in _ITEMS:
            self.spoke = True

    def _message(self, line: Line, payload: JsonObject) -> None:
        role = as_str(payload.get("role"))
        texts = texts_of(payload)
        if role == "assistant":
            self.spoke = True
        elif role == "user" and not is_context(texts):
            self.turns.append(line.number)
        shared = _Uttered(self.turn)
        for text in {"".join(texts), "\n".join(texts), *texts}:
            self.uttered.setdefault((role, hash(text.strip())), deque()).append(shared)

    def _event(self, line: Line, kind: str, payload: _Payload) -> None:
        if kind == "token_count":
            if not self.usage_known and bytes(payload.info).startswith(b"{"):
                self.usage_known = True
                self.plan.usage_leads = not self.spoke
        elif kind in ("user_message", "agent_message"):
            role = "user" if kind == "user_message" else "assistant"
            text = as_str(_inner(line).get("message")).strip()
            self.events.append((line.number, (role, hash(text)), self.turn))
            if kind == "user_message":
                self.turn += 1
                self.event_turns.append(line.number)
        elif kind == "thread_rolled_back":
            self._roll_back(line.number, as_int(_inner(line).get("num_turns")))

    def _roll_back(self, number: int, count: int) -> None:
        turns = self.turns if self.plan.has_items else self.event_turns
        if count <= 0 or not turns:
            return
        start = turns[max(0, len(turns) - count)]
        self.turns = [turn for turn in self.turns if turn < start]
        self.event_turns = [turn for turn in self.event_turns if turn < start]
        dropped = [span for span in self.plan.dropped if span[0] < start]
        self.plan.dropped = [*dropped, (start, number)]

    def finish(self) -> Plan:
        for number, words, turn in self.events:
            copies = self.uttered.get(words)
            while copies and (copies[0].used or copies[0].turn < turn - 1):
                copies.popleft()
            if copies and copies[0].turn <= turn + 1:
                copies[0].used = True
            else:
                self.plan.unique_events.add(number)
        return self.plan


def _inner(line: Line) -> JsonObject:
    record = as_dict(decode(line.data))
    return as_dict(record.get("payload")) or record


def scan(lines: Iterator[Line]) -> Plan:
    """The plan of a file. Lines that cannot be decoded are left to the second reading."""
    state = _Scan()
    for line in lines:
        try:
            state.line(line)
        except (ValueError, RecursionError):
            continue
    return state.finish()
