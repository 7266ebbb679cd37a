"""Turns the events of `gemini --output-format stream-json` into messages, as they come.

The stream has no thoughts and only the display text of results; whoever needs those reads the
session file afterwards. Feeding events is all it does: no files, no clock, no process.
"""

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, opt_str
from gemini_cli.transcripts.gemini.names import map_call
from gemini_cli.transcripts.launch.reduce import Draft, Reducer
from gemini_cli.transcripts.model import TextBlock, Usage


class GeminiReducer(Reducer):
    """`message` deltas grow a message; calls and results join it; new text after them parts it."""

    tool = "gemini"

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        kind = event.get("type")
        if kind == "init":
            self.outcome.session_id = opt_str(event.get("session_id"))
            self.outcome.model = opt_str(event.get("model"))
        elif kind == "message":
            self._message_event(event)
        elif kind == "tool_use":
            self._call(event)
        elif kind == "tool_result":
            self._result(event)
        elif kind == "error":
            self.emit("system", TextBlock(as_str(event.get("message"))), event)
        elif kind == "result":
            self._end(event)
        else:
            return False
        return True

    def _message_event(self, event: JsonObject) -> None:
        text = as_str(event.get("content"))
        if event.get("role") != "assistant":
            self.emit("user", TextBlock(text), event)
            return
        draft = self._assistant()
        if draft.has_results:
            draft = self.open("assistant")
        draft.text(text)
        draft.originals.append(event)
        self.live("text", text)
        if event.get("delta") is not True:
            self.close()

    def _call(self, event: JsonObject) -> None:
        draft = self._assistant()
        args = as_dict(event.get("parameters"))
        name, mapped = map_call(as_str(event.get("tool_name")), args, self.mcp_servers)
        draft.call(as_str(event.get("tool_id")), name, mapped)
        draft.originals.append(event)

    def _result(self, event: JsonObject) -> None:
        # A message that was closed in between has been handed out; its late result stands alone.
        draft = self._assistant()
        error = as_dict(event.get("error"))
        failed = event.get("status") != "success" or bool(error)
        text = opt_str(event.get("output")) or (as_str(error.get("message")) if failed else "")
        draft.result(as_str(event.get("tool_id")), text, failed)
        draft.originals.append(event)

    def _assistant(self) -> Draft:
        draft = self.draft
        if draft is None or draft.role != "assistant":
            draft = self.open("assistant")
        return draft

    def _end(self, event: JsonObject) -> None:
        outcome = self.outcome
        outcome.finished = True
        if event.get("status") != "success":
            error = as_dict(event.get("error"))
            self.fail(opt_str(error.get("message")) or "gemini reported an error without a text")
        stats = as_dict(event.get("stats"))
        if stats:
            outcome.stats = stats
            outcome.usage = usage_of(stats)
            outcome.model = _busiest(stats.get("models")) or outcome.model
        if self.draft is not None:
            self.draft.usage = outcome.usage
            self.draft.model = outcome.model
        self.close()


def usage_of(stats: JsonObject) -> Usage:
    """The run's tokens; `cached` is part of `input_tokens`."""
    cached = stats.get("cached")
    return Usage(
        input_tokens=as_int(stats.get("input_tokens")),
        output_tokens=as_int(stats.get("output_tokens")),
        total_tokens=as_int(stats.get("total_tokens")),
        cache_read_tokens=None if cached is None else as_int(cached),
        basis="gemini",
    )


def _busiest(models: JsonValue) -> str | None:
    """`init` may say `auto`; the statistics name the models that did the work."""
    best, most = None, -1
    for name, numbers in as_dict(models).items():
        output = as_int(as_dict(numbers).get("output_tokens"))
        if output > most:
            best, most = name, output
    return best
