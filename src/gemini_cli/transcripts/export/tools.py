"""A tool call as HTML: a line that says what was done, and the details folded behind it.

Edits become coloured changes, commands a prompt and their output, task lists a check list; a
tool nobody knows shows its arguments as JSON. Everything that came from outside is escaped.
"""

import json
import re
from collections.abc import Callable

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_list, as_str, dicts
from gemini_cli.transcripts.export.clean import escape, safe_link
from gemini_cli.transcripts.export.diff import changes, diff_html, diff_lines
from gemini_cli.transcripts.export.media import media_html
from gemini_cli.transcripts.export.prose import prose
from gemini_cli.transcripts.export.thread import Exchange, argument
from gemini_cli.transcripts.model import (
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)

SHOWN = 256 * 1024
"""Longer texts of a tool are cut on the page, with a note of how much is missing."""
_GLANCE = 24
_DIFF = re.compile(r"diff --git |(?:Index: .*\n=+\n)?--- .+\n\+\+\+ .+\n@@ ")
_SPELLED_OUT = frozenset({"TodoWrite", "AskUserQuestion", "ExitPlanMode"})


def exchange_html(exchange: Exchange) -> str:
    """A call and its result, folded."""
    call, result = exchange.call, exchange.result
    state, word = _state(result)
    opened = " open" if call.name in _SPELLED_OUT or _small_edit(call) else ""
    detail = _INPUTS.get(call.name, _any)(call.input)
    quiet = call.name == "TodoWrite" and state == "ok"
    output = result_html(result) if result is not None and not quiet else ""
    if output and call.name == "Edit" and state == "ok":  # mostly the change once more
        output = f'<details class="more"><summary>Result</summary>{output}</details>'
    return (
        f'<details class="tool {state}"{opened}><summary>'
        f'<span class="name">{escape(_shown_name(call.name))}</span>'
        f'<span class="about">{escape(argument(call))}</span>'
        f"{_counts(call)}"
        f'<span class="state">{word}</span>'
        f'</summary><div class="inside">{detail}{output}</div></details>'
    )


def result_html(result: ToolResultBlock) -> str:
    """What a tool answered; nothing when it answered nothing."""
    if isinstance(result.content, str):
        parts = [_output(result.content, result.is_error)]
    else:
        parts = [_result_part(part, result.is_error) for part in result.content]
    return "".join(parts)


def _result_part(part: object, is_error: bool) -> str:
    if isinstance(part, TextBlock):
        return _output(part.text, is_error)
    if isinstance(part, ImageBlock | DocumentBlock):
        return media_html(part)
    return f'<p class="note">[{escape(str(getattr(part, "type", "content")))}]</p>'


def _output(text: str, is_error: bool) -> str:
    if not text.strip():
        return ""
    kind = "out bad" if is_error else "out"
    return f'<div class="label">{"Error" if is_error else "Result"}</div>{pre(text, kind)}'


def pre(text: str, kind: str = "") -> str:
    """Text as it is, in its own box."""
    note = ""
    if len(text) > SHOWN:
        note = f'<p class="note">{len(text) - SHOWN:,} more characters are not shown.</p>'
        text = text[:SHOWN]
    if kind == "out" and _DIFF.match(text):
        return f'<pre class="out diff">{diff_lines(text)}</pre>{note}'
    return f'<pre class="{kind}">{escape(text)}</pre>{note}'


def _state(result: ToolResultBlock | None) -> tuple[str, str]:
    if result is None:
        return "open-end", "no result"
    return ("failed", "failed") if result.is_error else ("ok", "done")


def _shown_name(name: str) -> str:
    if name.startswith("mcp__") and name.count("__") >= 2:
        _, server, tool = name.split("__", 2)
        return f"{server} · {tool}"
    return name


def _counts(call: ToolUseBlock) -> str:
    if call.name == "Edit":
        args = call.input
        _, added, removed = changes(_text(args, "old_string"), _text(args, "new_string"))
        return _count(added, removed)
    if call.name == "Write":
        return _count(len(_text(call.input, "content").splitlines()), 0)
    return ""


def _small_edit(call: ToolUseBlock) -> bool:
    """What was changed is what a reader looks for, as long as it does not fill the screen."""
    if call.name != "Edit":
        return False
    lines, _, _ = changes(_text(call.input, "old_string"), _text(call.input, "new_string"))
    return 0 < len(lines) <= _GLANCE


def _count(added: int, removed: int) -> str:
    plus = f'<span class="ins">+{added}</span>' if added else ""
    minus = f'<span class="del">−{removed}</span>' if removed else ""
    return f'<span class="counts">{plus}{minus}</span>' if plus or minus else ""


def _text(args: JsonObject, key: str) -> str:
    return as_str(args.get(key))


def _bash(args: JsonObject) -> str:
    note = _text(args, "description")
    words = f'<p class="note">{escape(note)}</p>' if note else ""
    return words + pre(_text(args, "command"), "command") + _rest(args, "command", "description")


def _edit(args: JsonObject) -> str:
    edits = dicts(args.get("edits")) or [args]
    parts = [diff_html(_text(edit, "old_string"), _text(edit, "new_string")) for edit in edits]
    return "".join(parts) + _rest(args, "file_path", "old_string", "new_string", "edits")


def _write(args: JsonObject) -> str:
    text = _text(args, "content")
    shown = diff_html("", text) if len(text) <= SHOWN else pre(text)
    return shown + _rest(args, "file_path", "content")


def _todos(args: JsonObject) -> str:
    rows = []
    for todo in dicts(args.get("todos")):
        status = as_str(todo.get("status"))
        kind, sign = _TODO.get(status, ("pending", "○"))
        words = escape(as_str(todo.get("content")))
        rows.append(f'<li class="{kind}"><span class="sign">{sign}</span>{words}</li>')
    return f'<ul class="todos">{"".join(rows)}</ul>' if rows else _any(args)


_TODO = {"completed": ("done", "✓"), "in_progress": ("doing", "▸"), "pending": ("pending", "○")}


def _questions(args: JsonObject) -> str:
    parts = []
    for question in dicts(args.get("questions")):
        options = []
        for option in as_list(question.get("options")):
            label = as_str(option.get("label")) if isinstance(option, dict) else as_str(option)
            told = as_str(option.get("description")) if isinstance(option, dict) else ""
            dash = f" — {escape(told)}" if told else ""
            options.append(f"<li><b>{escape(label)}</b>{dash}</li>")
        words = escape(as_str(question.get("question")))
        parts.append(f"<p>{words}</p><ul>{''.join(options)}</ul>")
    return "".join(parts) or _any(args)


def _plan(args: JsonObject) -> str:
    return f'<div class="prose">{prose(_text(args, "plan"))}</div>' + _rest(args, "plan")


def _task(args: JsonObject) -> str:
    body = f'<div class="prose">{prose(_text(args, "prompt"))}</div>'
    return body + _rest(args, "prompt", "description")


def _fetch(args: JsonObject) -> str:
    url = _text(args, "url")
    link = safe_link(url)
    shown = escape(url)
    if link is not None:
        shown = f'<a href="{escape(link)}" rel="noopener noreferrer nofollow">{shown}</a>'
    return f"<p>{shown}</p>" + _rest(args, "url")


def _located(args: JsonObject) -> str:
    return _rest(args, "file_path")


def _any(args: JsonObject) -> str:
    if all(isinstance(value, str | int | float) for value in args.values()):
        return _rest(args)
    return pre(_json(args), "json")


def _rest(args: JsonObject, *shown: str) -> str:
    left = {key: value for key, value in args.items() if key not in shown}
    if not left:
        return ""
    rows = "".join(f"<dt>{escape(key)}</dt><dd>{escape(_brief(v))}</dd>" for key, v in left.items())
    return f"<dl>{rows}</dl>"


def _brief(value: JsonValue) -> str:
    text = value if isinstance(value, str) else _json(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _json(value: JsonValue) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return repr(type(value))


_INPUTS: dict[str, Callable[[JsonObject], str]] = {
    "Bash": _bash,
    "Edit": _edit,
    "MultiEdit": _edit,
    "Write": _write,
    "Read": _located,
    "TodoWrite": _todos,
    "AskUserQuestion": _questions,
    "ExitPlanMode": _plan,
    "Task": _task,
    "WebFetch": _fetch,
}
