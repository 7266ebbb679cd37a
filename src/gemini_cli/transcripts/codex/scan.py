"""A first look over a Codex rollout: what the second reading must know in advance.

Utterances are stored twice, turns can be taken back later, and token counts come before or
after what they count, by version. Only numbers, ids and digests are kept.
"""

from bisect import bisect_right
from collections.abc import Iterator

import msgspec
from msgspec import Raw, Struct

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.codex.parse import is_context, texts_of
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str
from gemini_cli.transcripts.lines import Line, decode, raw_text

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
    type: Raw = _NONE
    call_id: Raw = _NONE
    info: Raw = _NONE


class _Probe(Struct):
    type: Raw = _NONE
    payload: Raw = _NONE
    call_id: Raw = _NONE


_probe = msgspec.json.Decoder(_Probe).decode
_probe_payload = msgspec.json.Decoder(_Payload).decode


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
        self.uttered: dict[tuple[str, int], list[_Uttered]] = {}
        self.events: list[tuple[int, tuple[str, int], int]] = []
        self.spoke = False
        self.usage_known = False

    def line(self, line: Line) -> None:
        probe = _probe(line.data)
        kind, raw = raw_text(probe.type), bytes(probe.payload)
        if not raw:
            if kind in _ITEMS:
                self._item(line, kind, line.data, probe.call_id)
            return
        if kind not in ("response_item", "event_msg"):
            return
        payload = _probe_payload(raw)
        name = raw_text(payload.type) or ""
        if kind == "response_item":
            self._item(line, name, raw, payload.call_id)
        else:
            self._event(line, name, raw, payload)

    def _item(self, line: Line, kind: str, data: bytes, call_id: Raw) -> None:
        self.plan.has_items = True
        if kind == "message":
            self._message(line, as_dict(decode(data)))
        elif kind.endswith("_output"):
            self.plan.answered.add(raw_text(call_id) or "")
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
            self.uttered.setdefault((role, hash(text.strip())), []).append(shared)

    def _event(self, line: Line, kind: str, data: bytes, payload: _Payload) -> None:
        if kind == "token_count":
            if not self.usage_known and bytes(payload.info).startswith(b"{"):
                self.usage_known = True
                self.plan.usage_leads = not self.spoke
        elif kind in ("user_message", "agent_message"):
            role = "user" if kind == "user_message" else "assistant"
            text = as_str(as_dict(decode(data)).get("message")).strip()
            self.events.append((line.number, (role, hash(text)), self.turn))
            if kind == "user_message":
                self.turn += 1
                self.event_turns.append(line.number)
        elif kind == "thread_rolled_back":
            self._roll_back(line.number, as_int(as_dict(decode(data)).get("num_turns")))

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
            copies = self.uttered.get(words, [])
            near = (copy for copy in copies if not copy.used and abs(copy.turn - turn) <= 1)
            copy = next(near, None)
            if copy is None:
                self.plan.unique_events.add(number)
            else:
                copy.used = True
        return self.plan


def scan(lines: Iterator[Line]) -> Plan:
    """The plan of a file. Lines that cannot be decoded are left to the second reading."""
    state = _Scan()
    for line in lines:
        try:
            state.line(line)
        except (ValueError, RecursionError):
            continue
    return state.finish()
