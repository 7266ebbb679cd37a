"""The second reading of a Codex rollout: lines in, messages out, one request held back.

Token counts are attached to the last thing the model said in the request they belong to, which
may be known only a few lines later; nothing else is held.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.events import from_event, from_finished_item
from gemini_cli.transcripts.codex.message import Said, parse_item, usage_of
from gemini_cli.transcripts.codex.scan import Plan
from gemini_cli.transcripts.coerce import as_dict, as_str, opt_str, time_ms
from gemini_cli.transcripts.lines import Record
from gemini_cli.transcripts.model import (
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.places import derived_id

_ENVELOPES = ("response_item", "event_msg", "session_meta", "turn_context")


class Reader:
    """State of one file: model, clock, open calls, and what still waits for its token count."""

    def __init__(self, plan: Plan, options: LoadOptions) -> None:
        self._plan = plan
        self._sdk = options.compat == "sdk"
        self._keeps_meta = options.include_meta or self._sdk
        self.session_id: str | None = None
        self._model: str | None = None
        self._before = 0
        self._open: dict[str, list[str]] = {}
        self._unanswered: dict[str, list[str]] = {}
        self._held: list[UnifiedMessage] = []
        self._ready: list[UnifiedMessage] = []
        self._usage: Usage | None = None
        self._counted: JsonValue = None

    def feed(self, record: Record) -> Sequence[UnifiedMessage]:
        """The messages that are complete after this line."""
        if not self._sdk and self._plan.is_dropped(record.number):
            return ()
        value = record.value
        payload = value.get("payload")
        if not isinstance(payload, dict):
            self._bare(record)
            return self._taken()
        kind = value.get("type")
        if kind == "response_item":
            self._say(record, parse_item(payload, keep_empty=self._sdk))
        elif kind == "event_msg":
            self._event(record, payload)
        elif kind == "turn_context":
            self._model = opt_str(payload.get("model")) or self._model
        elif kind == "session_meta":
            self._meta(value, payload)
        elif kind == "compacted" and not self._sdk:
            text = as_str(payload.get("message"))
            self._say(record, Said("system", [TextBlock(text)], is_meta=True))
        return self._taken()

    def finish(self) -> Sequence[UnifiedMessage]:
        """What is still held at the end of the file."""
        self._release()
        return self._taken()

    def _taken(self) -> Sequence[UnifiedMessage]:
        if not self._ready:
            return ()
        ready, self._ready = self._ready, []
        return ready

    def _bare(self, record: Record) -> None:
        """A line of the oldest files: the payload alone, the first one being the header."""
        value = record.value
        if "type" in value:
            if value["type"] not in _ENVELOPES:
                self._say(record, parse_item(value, keep_empty=self._sdk))
        elif "id" in value:
            self._meta(value, value)

    def _meta(self, line: JsonObject, payload: JsonObject) -> None:
        if self.session_id is None:
            self.session_id = opt_str(payload.get("id")) or opt_str(payload.get("session_id"))
            self._before = time_ms(line.get("timestamp")) or self._before

    def _event(self, record: Record, payload: JsonObject) -> None:
        kind = payload.get("type")
        if kind == "token_count":
            self._count(payload)
        elif kind == "turn_aborted" and not self._sdk:
            self._abort(record, payload)
        elif kind == "item_completed" and not self._plan.has_items:
            self._say(record, from_finished_item(as_dict(payload.get("item"))))
        elif self._is_wanted(record, kind):
            self._say(record, from_event(payload))

    def _is_wanted(self, record: Record, kind: JsonValue) -> bool:
        if self._sdk or not self._plan.has_items:
            return True
        if kind in ("user_message", "agent_message"):
            return record.number in self._plan.unique_events
        return False

    def _say(self, record: Record, said: Said | None) -> None:
        if said is None:
            return
        if said.is_meta and not self._keeps_meta:
            if said.role == "user":
                self._release()
            return
        message = self._message(record, said)
        if said.answers is not None:
            self._keep(self._answered(message, said.answers))
            return
        message = _named(message)
        if said.awaits_answer:
            names = [block.id for block in said.blocks if isinstance(block, ToolUseBlock)]
            names[0] = names[0] or message.id
            known = self._open if names[0] in self._plan.answered else self._unanswered
            known[names[0]] = names
        self._release(more=said.role == "assistant")
        (self._held if said.role == "assistant" else self._ready).append(message)

    def _message(self, record: Record, said: Said) -> UnifiedMessage:
        moment = time_ms(record.value.get("timestamp"))
        if moment is not None:
            self._before = moment
        return UnifiedMessage(
            id=said.id or derived_id(self.session_id, record.number),
            role=said.role,
            content=said.blocks or "",
            timestamp=self._before,
            tool="codex",
            model=self._model if said.role == "assistant" else None,
            original=record.value,
            session_id=self.session_id,
            is_meta=said.is_meta,
        )

    def _answered(self, message: UnifiedMessage, call_id: str) -> UnifiedMessage:
        """A patch over several files has several calls; its one result is repeated for each."""
        names = self._open.pop(call_id, [call_id])
        if len(names) < 2 or isinstance(message.content, str):
            return message
        first = message.content[0]
        if not isinstance(first, ToolResultBlock):
            return message
        results: list[UnifiedContent] = [replace(first, tool_use_id=name) for name in names]
        return replace(message, content=results)

    def _keep(self, message: UnifiedMessage) -> None:
        """An answer stays behind what is held, so that order is kept."""
        (self._held or self._ready).append(message)

    def _count(self, payload: JsonObject) -> None:
        info = as_dict(payload.get("info"))
        usage = usage_of(info.get("last_token_usage"))
        total = info.get("total_token_usage")
        if usage is None or (total is not None and total == self._counted):
            return
        self._counted = total
        if not self._plan.usage_leads:
            self._usage = usage
        self._release()
        if self._plan.usage_leads:
            self._usage = usage

    def _release(self, *, more: bool = False) -> None:
        """Gives out what was held; the usage that is known goes to what the model said last.

        `more` says that the model goes on: where counts lead, its usage then stays for the last.
        """
        held = self._held
        if not (more and self._plan.usage_leads):
            usage, self._usage = self._usage, None
            if held and usage is not None:
                held[0] = replace(held[0], usage=usage)
        if held:
            self._ready += held
            self._held = []

    def _abort(self, record: Record, payload: JsonObject) -> None:
        """Calls that were never answered get an error, so that each call has its result."""
        reason = as_str(payload.get("reason"), "interrupted")
        unanswered, self._unanswered = self._unanswered, {}
        for call_id, names in unanswered.items():
            results: list[UnifiedContent] = [
                ToolResultBlock(name, f"[Turn aborted: {reason}]", is_error=True) for name in names
            ]
            self._keep(self._message(record, Said("assistant", results, f"{call_id}_output")))


def _named(message: UnifiedMessage) -> UnifiedMessage:
    """A call that came without an id gets its message's."""
    if isinstance(message.content, str):
        return message
    first = message.content[0]
    if not isinstance(first, ToolUseBlock) or first.id:
        return message
    return replace(message, content=[replace(first, id=message.id), *message.content[1:]])
