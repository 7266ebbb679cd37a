"""A first look over a Codex rollout: what the second reading must know in advance.

Utterances are stored twice, turns can be taken back later, and token counts come before or
after what they count, by version. Only numbers, ids and digests are kept.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.message import TEXTS, is_context, texts_of
from gemini_cli.transcripts.coerce import as_dict, as_int, opt_str
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


class _Text(Struct):
    type: str | None = None
    text: str | None = None


class _Payload(Struct):
    """What is looked at; a line with other types in these places takes the slow road."""

    type: str | None = None
    call_id: str | None = None
    role: str | None = None
    content: str | list[_Text] | None = None
    message: str | None = None
    num_turns: int | None = None
    info: Raw = _NONE


class _Line(_Payload):
    """An envelope, or in the oldest files the payload itself."""

    payload: _Payload | None = None


_line = msgspec.json.Decoder(_Line).decode


def _slow_line(value: JsonValue) -> _Line:
    record = as_dict(value)
    shown = _Line(**_fields(record))
    if isinstance(record.get("payload"), dict):
        shown.payload = _Payload(**_fields(record["payload"]))
    return shown


def _fields(found: JsonObject) -> dict[str, Any]:
    texts = [_Text("text", text) for text in texts_of(found)]
    return {
        **{key: opt_str(found.get(key)) for key in ("type", "call_id", "role", "message")},
        "content": texts,
        "num_turns": as_int(found.get("num_turns")),
        "info": Raw(b"{}") if isinstance(found.get("info"), dict) else _NONE,
    }


def _texts(payload: _Payload) -> list[str]:
    content = payload.content or ()
    if isinstance(content, str):
        return [content]
    return [part.text or "" for part in content if part.type in TEXTS]


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
        if not self.dropped:
            return False
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
            shown = _line(line.data)
        except (ValueError, RecursionError):
            shown = _slow_line(decode(line.data))
        payload, kind = shown.payload, shown.type
        if payload is None:
            if kind in _ITEMS:
                self._item(line.number, kind, shown)
        elif kind == "response_item":
            self._item(line.number, payload.type or "", payload)
        elif kind == "event_msg":
            self._event(line.number, payload.type or "", payload)

    def _item(self, number: int, kind: str, payload: _Payload) -> None:
        self.plan.has_items = True
        if kind == "message":
            self._message(number, payload)
        elif kind.endswith("_output"):
            self.plan.answered.add(payload.call_id or "")
        elif kind in _ITEMS:
            self.spoke = True

    def _message(self, number: int, payload: _Payload) -> None:
        role = payload.role or ""
        texts = _texts(payload)
        if role == "assistant":
            self.spoke = True
        elif role == "user" and not is_context(texts):
            self.turns.append(number)
        shared = _Uttered(self.turn)
        forms = texts if len(texts) == 1 else {"".join(texts), "\n".join(texts), *texts}
        for text in forms:
            self.uttered.setdefault((role, hash(text.strip())), deque()).append(shared)

    def _event(self, number: int, kind: str, payload: _Payload) -> None:
        if kind == "token_count":
            if not self.usage_known and bytes(payload.info).startswith(b"{"):
                self.usage_known = True
                self.plan.usage_leads = not self.spoke
        elif kind in ("user_message", "agent_message"):
            role = "user" if kind == "user_message" else "assistant"
            text = (payload.message or "").strip()
            self.events.append((number, (role, hash(text)), self.turn))
            if kind == "user_message":
                self.turn += 1
                self.event_turns.append(number)
        elif kind == "thread_rolled_back":
            self._roll_back(number, payload.num_turns or 0)

    def _roll_back(self, number: int, count: int) -> None:
        turns = self.turns if self.plan.has_items else self.event_turns
        if count <= 0 or not turns:
            return
        start = turns[max(0, len(turns) - count)]
        for numbers in (self.turns, self.event_turns):
            del numbers[bisect_left(numbers, start) :]
        dropped = self.plan.dropped
        del dropped[bisect_left(dropped, (start, 0)) :]
        dropped.append((start, number))

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


def scan(lines: Iterator[Line]) -> Plan:
    """The plan of a file. Lines that cannot be decoded are left to the second reading."""
    state = _Scan()
    for line in lines:
        try:
            state.line(line)
        except ValueError:
            continue
    return state.finish()
