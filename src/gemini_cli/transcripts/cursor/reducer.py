"""Turns the events of `cursor-agent -p --output-format stream-json` into messages.

With partial output the assistant's text comes as timed deltas and once more as a whole; the copy
is dropped. The format is closed, so a call of an unknown kind is passed through, never refused.
"""

from typing import NamedTuple

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, opt_int, opt_str
from gemini_cli.transcripts.cursor.names import map_calls
from gemini_cli.transcripts.launch.reduce import Draft, Reducer, as_text
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import TextBlock, Usage
from gemini_cli.transcripts.places import numbered


class CursorReducer(Reducer):
    """Text and calls grow one assistant message; text after results opens the next."""

    tool = "cursor"
    _partial = ""

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        kind = event.get("type")
        self.outcome.session_id = self.outcome.session_id or opt_str(event.get("session_id"))
        if kind == "system":
            self.outcome.model = opt_str(event.get("model")) or self.outcome.model
        elif kind == "user":
            self.emit("user", TextBlock(_words(event)), event)
        elif kind == "assistant":
            self._assistant_text(event)
        elif kind == "thinking":
            self._thinking(event)
        elif kind == "tool_call":
            self._tool(event)
        elif kind == "result":
            self._end(event)
        else:
            return False
        return True

    def _assistant_text(self, event: JsonObject) -> None:
        text = _words(event)
        if event.get("timestamp_ms") is None and self._partial and self._partial.endswith(text):
            self._partial = ""
            return
        draft = self._grow()
        draft.text(text)
        draft.originals.append(event)
        self._partial = self._partial + text if event.get("timestamp_ms") is not None else ""
        self.live("text", text)

    def _thinking(self, event: JsonObject) -> None:
        text = as_str(event.get("text"))
        if event.get("subtype") == "delta" and text:
            draft = self._grow()
            draft.thinking(text)
            draft.originals.append(event)
            self.live("thinking", text)

    def _tool(self, event: JsonObject) -> None:
        calls = _calls_of(as_dict(event.get("tool_call")))
        call_id = as_str(event.get("call_id"))
        self._partial = ""
        draft = self._grow(parted=False)
        if call_id not in draft.calls:
            if event.get("subtype") == "completed":
                calls = [call.with_edit() for call in calls]
            elif any(call.name == "Edit" for call in calls):
                return  # what an edit changed is known only when it is done
            for at, call in enumerate(calls):
                draft.call(numbered(call_id, at), call.name, call.args)
        draft.originals.append(event)
        if event.get("subtype") == "completed":
            text, failed = _result(calls[0].result)
            draft.results(call_id, text, failed)

    def _grow(self, parted: bool = True) -> Draft:
        draft = self.draft
        if draft is None or draft.role != "assistant" or (parted and draft.has_results):
            draft = self.open("assistant")
        return draft

    def _end(self, event: JsonObject) -> None:
        outcome = self.outcome
        outcome.finished = True
        outcome.answer = opt_str(event.get("result"))
        if event.get("is_error") is True or event.get("subtype") not in ("success", None):
            self.fail(outcome.answer or "cursor reported an error without a text")
        usage = as_dict(event.get("usage"))
        if usage:
            outcome.stats, outcome.usage = usage, _usage(usage)
            if self.draft is not None:
                self.draft.usage = outcome.usage
        self.close()


class _Call(NamedTuple):
    name: str
    args: JsonObject
    result: JsonObject

    def with_edit(self) -> "_Call":
        """An edit with the text before and after, which only its result knows."""
        done = as_dict(self.result.get("success"))
        if self.name != "Edit" or "old_string" in self.args or not done:
            return self
        path = self.args.get("file_path")
        before = done.get("beforeFullFileContent")
        diff = opt_str(done.get("diffString"))
        if before is None and opt_str(done.get("afterFullFileContent")) and diff is None:
            new = {"file_path": path, "content": done["afterFullFileContent"]}
            return self._replace(name="Write", args=new)
        old, fresh = _sides(diff or "")
        if not old and fresh:
            return self._replace(name="Write", args={"file_path": path, "content": fresh})
        return self._replace(args={"file_path": path, "old_string": old, "new_string": fresh})


def _sides(diff: str) -> tuple[str, str]:
    old: list[str] = []
    new: list[str] = []
    for line in diff.splitlines():
        if line.startswith(("---", "+++", "@@", "\\")):
            continue
        if not line.startswith("+"):
            old.append(line[1:])
        if not line.startswith("-"):
            new.append(line[1:])
    return "\n".join(old), "\n".join(new)


def _words(event: JsonObject) -> str:
    content = as_dict(event.get("message")).get("content")
    return as_text(content) or as_str(event.get("text"))


def _calls_of(call: JsonObject) -> list[_Call]:
    for name, body in call.items():
        inner = as_dict(body)
        if name == "function":
            args: JsonValue = inner.get("arguments")
            if isinstance(args, str):
                try:
                    args = decode(args)
                except ValueError:
                    args = {"raw": args}
            name = as_str(inner.get("name"))
        elif name.endswith("ToolCall"):
            args = inner.get("args")
        else:
            continue
        result = as_dict(inner.get("result"))
        return [_Call(*mapped, result) for mapped in map_calls(name, as_dict(args))]
    return [_Call("unknown", {}, {})]


def _result(result: JsonObject) -> tuple[str, bool]:
    if "success" in result:
        done = as_dict(result.get("success"))
        code = opt_int(done.get("exitCode"))
        text = next((as_str(done[key]) for key in _TEXTS if opt_str(done.get(key))), "")
        error = as_str(done.get("stderr"))
        if error and error != text:
            text = f"{text}\n{error}" if text else error
        return text, bool(code)
    for kind in ("error", "rejected", "denied", "failure"):
        if kind in result:
            told = as_dict(result[kind])
            keys = ("errorMessage", "message", "reason", "error", "stderr", "stdout")
            words = next((as_str(told[key]) for key in keys if opt_str(told.get(key))), "")
            return words or as_str(result[kind]) or kind, True
    return "", False


_TEXTS = ("content", "stdout", "output", "interleavedOutput", "diffString", "message")


def _usage(raw: JsonObject) -> Usage:
    read, write = raw.get("cacheReadTokens"), raw.get("cacheWriteTokens")
    input_tokens, output = as_int(raw.get("inputTokens")), as_int(raw.get("outputTokens"))
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output,
        total_tokens=input_tokens + output,
        cache_read_tokens=None if read is None else as_int(read),
        cache_creation_tokens=None if write is None else as_int(write),
        basis="cursor",
    )
