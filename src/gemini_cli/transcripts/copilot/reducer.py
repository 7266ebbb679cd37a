"""Turns the events of `copilot -p … --output-format json` into messages.

They are the events of its session file, live, with deltas and usage in between and one flat
`result` line at the end. Events that only serve its screen are known and passed over.
"""

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_str
from gemini_cli.transcripts.copilot.message import calls_of, has_failed
from gemini_cli.transcripts.launch.reduce import Draft, Reducer, as_text, sum_usage
from gemini_cli.transcripts.model import TextBlock, Usage

_NOTICES = ("abort", "session.error", "session.info", "session.warning")


class CopilotReducer(Reducer):
    """Each `assistant.message` opens a message; its calls' results join it."""

    tool = "copilot"
    _reasoning = ""

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        kind, data = as_str(event.get("type")), as_dict(event.get("data"))
        handler = getattr(self, "_on_" + kind.replace(".", "_"), None)
        if kind in _NOTICES:
            self._notice(kind, data, event)
        elif handler is not None:
            handler(data, event)
        else:
            return "." in kind
        return True

    def _on_session_start(self, data: JsonObject, event: JsonObject) -> None:
        self.outcome.session_id = opt_str(data.get("sessionId"))
        self.outcome.model = opt_str(data.get("selectedModel"))

    def _on_user_message(self, data: JsonObject, event: JsonObject) -> None:
        self.emit("user", TextBlock(as_str(data.get("content"))), event)

    def _on_assistant_message_delta(self, data: JsonObject, event: JsonObject) -> None:
        self.live("text", as_str(data.get("deltaContent")))

    def _on_assistant_reasoning_delta(self, data: JsonObject, event: JsonObject) -> None:
        self.live("thinking", as_str(data.get("deltaContent")))

    def _on_assistant_reasoning(self, data: JsonObject, event: JsonObject) -> None:
        self._reasoning += as_str(data.get("content"))

    def _on_assistant_message(self, data: JsonObject, event: JsonObject) -> None:
        draft = self.open("assistant", opt_str(data.get("messageId")) or opt_str(event.get("id")))
        draft.originals.append(event)
        draft.model = opt_str(data.get("model")) or self.outcome.model
        draft.sidechain = bool(event.get("agentId"))
        self.outcome.model = self.outcome.model or draft.model
        thinking = as_str(data.get("reasoningText")) or self._reasoning
        self._reasoning = ""
        if thinking:
            draft.thinking(thinking)
        if as_str(data.get("content")):
            draft.text(as_str(data.get("content")))
        for request in dicts(data.get("toolRequests")):
            self._request(draft, request)

    def _request(self, draft: Draft, request: JsonObject) -> None:
        tool = as_str(request.get("name")) or as_str(request.get("toolName"))
        for call in calls_of(request, tool):
            draft.call(call.id, call.name, call.input)

    def _on_tool_execution_start(self, data: JsonObject, event: JsonObject) -> None:
        draft = self._assistant()
        if as_str(data.get("toolCallId")) not in draft.calls:
            self._request(draft, data)
            draft.originals.append(event)

    def _on_tool_execution_complete(self, data: JsonObject, event: JsonObject) -> None:
        draft = self._assistant()
        result, failed = as_dict(data.get("result")), has_failed(data)
        text = as_text(result.get("content")) or as_text(result.get("detailedContent"))
        if failed:
            text = as_str(as_dict(data.get("error")).get("message")) or text
        draft.results(as_str(data.get("toolCallId")), text, failed)
        draft.originals.append(event)

    def _on_assistant_usage(self, data: JsonObject, event: JsonObject) -> None:
        usage = _usage(data)
        if self.draft is not None:
            self.draft.usage = usage
        self.outcome.usage = sum_usage(self.outcome.usage, usage)

    def _on_result(self, data: JsonObject, event: JsonObject) -> None:
        self.close()
        outcome = self.outcome
        outcome.finished = True
        outcome.session_id = opt_str(event.get("sessionId")) or outcome.session_id
        outcome.stats = as_dict(event.get("usage")) or None
        code = as_int(event.get("exitCode"))
        if code:
            self.fail(f"copilot ended with exit code {code}")

    def _notice(self, kind: str, data: JsonObject, event: JsonObject) -> None:
        text = as_str(data.get("message")) or as_str(data.get("reason")) or kind
        self.emit("system", TextBlock(text), event)
        if kind in ("session.error", "abort"):
            self.fail(text)

    def _assistant(self) -> Draft:
        draft = self.draft
        return draft if draft and draft.role == "assistant" else self.open("assistant")


def _usage(data: JsonObject) -> Usage:
    input_tokens, output = as_int(data.get("inputTokens")), as_int(data.get("outputTokens"))
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output,
        total_tokens=input_tokens + output,
        cache_creation_tokens=as_int(data.get("cacheWriteTokens")),
        cache_read_tokens=as_int(data.get("cacheReadTokens")),
        basis="copilot",
    )
