"""Turns the events of `claude -p --output-format stream-json` into messages.

Each `assistant` and `user` event is a message already; deltas are only told live. Whether the
run succeeded is what `is_error` says, not the subtype: an API failure can call itself a success.
"""

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.claude.message import content_of, usage_of
from gemini_cli.transcripts.coerce import as_dict, as_list, as_str, opt_str
from gemini_cli.transcripts.launch.reduce import Reducer, cost_of
from gemini_cli.transcripts.model import Role, UnifiedContent, UnifiedMessage

_PASSED_OVER = ("rate_limit_event", "conversation_reset", "control_request", "keep_alive")


class ClaudeReducer(Reducer):
    """Messages pass through; `result` ends the run."""

    tool = "claude"

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        kind = event.get("type")
        if kind == "system":
            self._system(event)
        elif kind in ("assistant", "user"):
            self._pass(event, "assistant" if kind == "assistant" else "user")
        elif kind == "stream_event":
            self._partial(event)
        elif kind == "result":
            self._end(event)
        else:
            return kind in _PASSED_OVER
        return True

    def _system(self, event: JsonObject) -> None:
        if event.get("subtype") == "init":
            self.outcome.session_id = opt_str(event.get("session_id"))
            self.outcome.model = opt_str(event.get("model"))

    def _pass(self, event: JsonObject, role: Role) -> None:
        message = as_dict(event.get("message"))
        content = self.blocks(message, role)
        usage = usage_of(message.get("usage"))
        session_id = opt_str(event.get("session_id")) or self.outcome.session_id
        model = opt_str(message.get("model"))
        if role == "assistant" and model and not event.get("parent_tool_use_id"):
            self.outcome.model = model
        self.add(
            UnifiedMessage(
                id=opt_str(event.get("uuid")) or opt_str(message.get("id")) or self.fresh_id(),
                role=role,
                content=content or "",
                timestamp=self.at,
                tool=self.tool,
                model=model,
                usage=usage,
                original=event,
                session_id=session_id,
                is_sidechain=bool(event.get("parent_tool_use_id")),
            )
        )

    def blocks(self, message: JsonObject, role: Role) -> list[UnifiedContent]:
        """The content of an event's message."""
        return content_of(message.get("content"), role)

    def _partial(self, event: JsonObject) -> None:
        inner = as_dict(event.get("event"))
        if inner.get("type") == "message_start":
            self._live_id = as_str(as_dict(inner.get("message")).get("id"))
        delta = as_dict(inner.get("delta"))
        if delta.get("type") == "text_delta":
            self.live("text", as_str(delta.get("text")))
        elif delta.get("type") == "thinking_delta":
            self.live("thinking", as_str(delta.get("thinking")))

    def _end(self, event: JsonObject) -> None:
        outcome = self.outcome
        outcome.finished = True
        outcome.session_id = opt_str(event.get("session_id")) or outcome.session_id
        outcome.answer = opt_str(event.get("result"))
        outcome.structured = event.get("structured_output")
        outcome.usage = usage_of(event.get("usage"))
        outcome.cost_usd = cost_of(event.get("total_cost_usd"))
        outcome.stats = as_dict(event.get("modelUsage")) or None
        subtype = as_str(event.get("subtype"), "success")
        if event.get("is_error") is True or subtype != "success":
            told = [error for error in as_list(event.get("errors")) if isinstance(error, str)]
            self.fail(outcome.answer or "; ".join(told) or f"claude ended with {subtype}")
