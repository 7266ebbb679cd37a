"""Turns the events of `opencode run --format json` into messages, one for each model step.

There is no closing event: a run is over when a step ends for another reason than tool calls, and
an `error` event makes it a failure. A tool arrives once, already finished.
"""

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, opt_str
from gemini_cli.transcripts.launch.reduce import Draft, Reducer, cost_of, sum_usage
from gemini_cli.transcripts.model import Usage
from gemini_cli.transcripts.opencode.names import map_calls
from gemini_cli.transcripts.places import numbered


class OpencodeReducer(Reducer):
    """Steps open and close messages; their tokens add up to the run's."""

    tool = "opencode"

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        self.outcome.session_id = self.outcome.session_id or opt_str(event.get("sessionID"))
        kind, part = event.get("type"), as_dict(event.get("part"))
        if kind == "step_start":
            self.open("assistant", opt_str(part.get("messageID"))).originals.append(event)
        elif kind in ("text", "reasoning"):
            text = as_str(part.get("text"))
            if text:
                draft = self._grow(event, part)
                draft.text(text) if kind == "text" else draft.thinking(text)
                self.live("text" if kind == "text" else "thinking", text)
        elif kind == "tool_use":
            self._tool(event, part)
        elif kind == "step_finish":
            self._step(event, part)
        elif kind == "error":
            self.close()
            self.fail(_error_text(event.get("error")))
        else:
            return False
        return True

    def _grow(self, event: JsonObject, part: JsonObject) -> Draft:
        draft = self.draft or self.open("assistant", opt_str(part.get("messageID")))
        draft.originals.append(event)
        return draft

    def _tool(self, event: JsonObject, part: JsonObject) -> None:
        state, call_id = as_dict(part.get("state")), as_str(part.get("callID"))
        draft = self._grow(event, part)
        calls = map_calls(as_str(part.get("tool")), as_dict(state.get("input")))
        for at, (name, args) in enumerate(calls):
            draft.call(numbered(call_id, at), name, args)
        if state.get("status") == "completed":
            draft.results(call_id, as_str(state.get("output")), False)
        elif state.get("status") == "error":
            draft.results(call_id, as_str(state.get("error")), True)

    def _step(self, event: JsonObject, part: JsonObject) -> None:
        outcome = self.outcome
        outcome.finished = part.get("reason") != "tool-calls"
        tokens = as_dict(part.get("tokens"))
        if tokens:
            usage = _usage(tokens)
            outcome.usage = sum_usage(outcome.usage, usage)
            if self.draft is not None:
                self.draft.usage = usage
        cost = cost_of(part.get("cost"))
        if cost is not None:
            outcome.cost_usd = (outcome.cost_usd or 0.0) + cost
        if self.draft is not None:
            self.draft.originals.append(event)
        self.close()


def _error_text(error: object) -> str:
    told = as_dict(error)
    words = as_dict(told.get("data")).get("message") or told.get("message") or told.get("name")
    return as_str(words) or as_str(error) or "opencode reported an error without a text"


def _usage(tokens: JsonObject) -> Usage:
    cache = as_dict(tokens.get("cache"))
    parts = [as_int(tokens.get(key)) for key in ("input", "output", "reasoning")]
    read, write = as_int(cache.get("read")), as_int(cache.get("write"))
    total = tokens.get("total")
    return Usage(
        input_tokens=parts[0],
        output_tokens=parts[1],
        total_tokens=sum(parts) + read + write if total is None else as_int(total),
        cache_creation_tokens=write,
        cache_read_tokens=read,
        reasoning_tokens=parts[2],
        basis="opencode",
    )
