"""Turns the events of `codex exec --json` into messages: one for each finished item.

The stream has no clock and counts tokens per thread, not per turn; the difference to the turn
before is taken here. Items that are still running are not shown.
"""

import hashlib
import shlex
from collections.abc import Callable, Iterable

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.codex.names import unwrap_shell, web_search
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_int, opt_str
from gemini_cli.transcripts.launch.reduce import Draft, OnDelta, Reducer
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import TextBlock, Usage

_REFUSED = ("failed", "declined")


class CodexReducer(Reducer):
    """`item.completed` makes messages, `turn.completed` and `turn.failed` end the run."""

    tool = "codex"

    def __init__(self, *, on_delta: OnDelta | None = None, mcp_servers: Iterable[str] = ()) -> None:
        super().__init__(on_delta=on_delta, mcp_servers=mcp_servers)
        self._before = Usage(basis="codex")

    def count_from(self, before: Usage) -> None:
        """What the thread had used before this process began."""
        self._before = before

    def on(self, event: JsonObject) -> bool:
        """One event of the stream."""
        kind = event.get("type")
        if kind == "thread.started":
            self.outcome.session_id = opt_str(event.get("thread_id"))
        elif kind == "item.completed":
            return self._item(as_dict(event.get("item")), event)
        elif kind == "turn.completed":
            self._turn_completed(event)
        elif kind == "turn.failed":
            self.close()
            error = as_dict(event.get("error"))
            self.outcome.error = None  # what was said of retries before is not the reason
            self.fail(opt_str(error.get("message")) or "codex: the turn failed")
        elif kind == "error":
            # Also said of a connection that is tried again; only `turn.failed` is the end.
            self._text("system", as_str(event.get("message")), event)
            self.outcome.error = opt_str(event.get("message")) or self.outcome.error
        elif kind not in ("turn.started", "item.started", "item.updated"):
            return False
        return True

    def _item(self, item: JsonObject, event: JsonObject) -> bool:
        kind = as_str(item.get("type"))
        if kind in ("agent_message", "reasoning"):
            text = as_str(item.get("text"))
            if text:
                draft = self._open(item, event)
                draft.thinking(text) if kind == "reasoning" else draft.text(text)
                self.live("thinking" if kind == "reasoning" else "text", text)
        elif kind == "error":
            self._text("system", as_str(item.get("message")), event)
        elif kind in _CALLS:
            _CALLS[kind](self._open(item, event), item)
        else:
            return False
        return True

    def _open(self, item: JsonObject, event: JsonObject) -> Draft:
        # Item numbers begin at 0 in every process; with the thread they name one place.
        number = opt_str(item.get("id"))
        thread = self.outcome.session_id
        draft = self.open("assistant", f"{thread}-{number}" if thread and number else number)
        draft.originals.append(event)
        return draft

    def _text(self, role: str, text: str, event: JsonObject) -> None:
        if text:
            self.emit("system" if role == "system" else "assistant", TextBlock(text), event)

    def _turn_completed(self, event: JsonObject) -> None:
        outcome = self.outcome
        outcome.finished, outcome.error = True, None
        raw = as_dict(event.get("usage"))
        if raw:
            total = _usage(raw)
            outcome.stats = raw
            outcome.usage = _difference(total, self._before)
            self._before = total
            if self.draft is not None:
                self.draft.usage = outcome.usage
        self.close()


def _usage(raw: JsonObject) -> Usage:
    written = raw.get("cache_write_input_tokens")
    input_tokens, output = as_int(raw.get("input_tokens")), as_int(raw.get("output_tokens"))
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output,
        total_tokens=input_tokens + output,
        cache_creation_tokens=None if written is None else as_int(written),
        cache_read_tokens=as_int(raw.get("cached_input_tokens")),
        reasoning_tokens=as_int(raw.get("reasoning_output_tokens")),
        basis="codex",
    )


def _difference(now: Usage, before: Usage) -> Usage:
    """The turn's own tokens. A smaller total than before means the count began anew."""
    if now.total_tokens < before.total_tokens:
        return now
    written = now.cache_creation_tokens
    return Usage(
        input_tokens=now.input_tokens - before.input_tokens,
        output_tokens=now.output_tokens - before.output_tokens,
        total_tokens=now.total_tokens - before.total_tokens,
        cache_creation_tokens=(
            None if written is None else written - (before.cache_creation_tokens or 0)
        ),
        cache_read_tokens=(now.cache_read_tokens or 0) - (before.cache_read_tokens or 0),
        reasoning_tokens=(now.reasoning_tokens or 0) - (before.reasoning_tokens or 0),
        basis="codex",
    )


def _command(draft: Draft, item: JsonObject) -> None:
    code, call_id = opt_int(item.get("exit_code")), as_str(item.get("id"))
    draft.call(call_id, "Bash", {"command": unwrap_shell(item.get("command"))})
    failed = bool(code) or item.get("status") in _REFUSED
    draft.result(call_id, as_str(item.get("aggregated_output")), failed)


def _file_change(draft: Draft, item: JsonObject) -> None:
    failed = item.get("status") in _REFUSED
    for change in dicts(item.get("changes")):
        path, kind = as_str(change.get("path")), change.get("kind")
        if isinstance(kind, dict):
            kind = kind.get("type")
        mark = hashlib.sha1(path.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8]
        base = as_str(item.get("id"))
        diff = opt_str(change.get("diff"))
        if kind == "add":
            call_id, name = f"{base}_add_{mark}", "Write"
            args: JsonObject = {"file_path": path, "content": diff or ""}
        elif kind == "delete":
            call_id, name = f"{base}_delete_{mark}", "Bash"
            args = {"command": f"rm {shlex.quote(path)}"}
        else:
            call_id, name = f"{base}_edit_{mark}", "Edit"
            args = {"file_path": path, "old_string": "", "new_string": diff or ""}
        draft.call(call_id, name, args)
        draft.result(call_id, as_str(item.get("status")), failed)


def _mcp(draft: Draft, item: JsonObject) -> None:
    call_id = as_str(item.get("id"))
    args = item.get("arguments")
    if isinstance(args, str):
        try:
            args = decode(args)
        except ValueError:
            args = {"raw": args}
    name = f"mcp__{as_str(item.get('server'))}__{as_str(item.get('tool'))}"
    draft.call(call_id, name, as_dict(args))
    error = item.get("error")
    failed = bool(error) or item.get("status") in _REFUSED
    text = as_str(as_dict(error).get("message")) or as_str(error)
    if not failed:
        parts = dicts(as_dict(item.get("result")).get("content"))
        text = "\n".join(as_str(part.get("text")) for part in parts if part.get("text"))
    draft.result(call_id, text, failed)


def _web_search(draft: Draft, item: JsonObject) -> None:
    call_id = as_str(item.get("id"))
    draft.call(call_id, *web_search(item.get("action"), item.get("query")))
    draft.result(call_id, "", False)


def _todo_list(draft: Draft, item: JsonObject) -> None:
    call_id = as_str(item.get("id"))
    todos = [
        {
            "content": as_str(entry.get("text")),
            "status": "completed" if entry.get("completed") is True else "pending",
            "activeForm": as_str(entry.get("text")),
        }
        for entry in dicts(item.get("items"))
    ]
    draft.call(call_id, "TodoWrite", {"todos": todos})
    draft.result(call_id, "", False)


def _collab(draft: Draft, item: JsonObject) -> None:
    call_id, prompt = as_str(item.get("id")), as_str(item.get("prompt"))
    args: JsonObject = {
        "prompt": prompt,
        "description": prompt.strip().split("\n", 1)[0][:60],
        "subagent_type": as_str(item.get("tool")),
    }
    draft.call(call_id, "Task", args)
    states = as_dict(item.get("agents_states")).items()
    text = "\n".join(f"{name}: {_state(as_dict(state))}" for name, state in states)
    draft.result(call_id, text, item.get("status") in _REFUSED)


def _state(state: JsonObject) -> str:
    return as_str(state.get("message")) or as_str(state.get("status"))


_CALLS: dict[str, Callable[[Draft, JsonObject], None]] = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "web_search": _web_search,
    "todo_list": _todo_list,
    "collab_tool_call": _collab,
}
