"""A conversation as one Markdown document, to be read, kept in a repository or pasted.

Whatever a tool said stands in a fence that is longer than any fence inside it; a person's words
are quoted. Pictures are named, not embedded. The model's own Markdown is passed on as it is.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.transcripts.export.clean import plain
from gemini_cli.transcripts.export.diff import changes
from gemini_cli.transcripts.export.media import describe
from gemini_cli.transcripts.export.thread import Entry, Exchange, Item, argument, arrange, sums
from gemini_cli.transcripts.model import (
    DocumentBlock,
    ImageBlock,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedMessage,
    UnknownBlock,
)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_TICKS = re.compile(r"`+")
_WHO = {"user": "User", "assistant": "Assistant", "system": "Notice"}


def markdown_document(
    messages: Sequence[UnifiedMessage],
    title: str,
    meta: Mapping[str, str] | None = None,
) -> str:
    """The whole document."""
    entries = arrange(messages)
    parts = [f"# {_line(title) or 'Conversation'}", _facts(meta or {}, entries)]
    for entry in entries:
        if not entry.follows:
            parts.append(_heading(entry))
        parts += [text for item in entry.items if (text := _item(item, entry.message.role))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(meta: Mapping[str, str], entries: Sequence[Entry]) -> str:
    rows = [f"- **{_line(key)}**: {_line(value)}" for key, value in meta.items() if value]
    total = sums(entries)
    if total.input or total.output:
        rows.append(f"- **Tokens**: {total.input:,} in, {total.output:,} out")
    if total.cost is not None:
        rows.append(f"- **Cost**: ${total.cost:.4f}")
    return "\n".join(rows)


def _heading(entry: Entry) -> str:
    message = entry.message
    words = [_WHO[message.role]]
    if message.model:
        words.append(f"`{_line(message.model)}`")
    if message.timestamp > 0:
        try:
            moment = datetime.fromtimestamp(message.timestamp / 1000, UTC)
            words.append(moment.strftime("%Y-%m-%d %H:%M UTC"))
        except (ValueError, OverflowError, OSError):
            pass
    return "## " + " · ".join(words)


def _item(item: Item, role: str) -> str:
    match item:
        case Exchange():
            return _exchange(item)
        case TextBlock():
            text = plain(item.text).strip()
            return _closed(text) if role == "assistant" else _quoted(text)
        case ThinkingBlock():
            text = plain(item.thinking).strip()
            return _folded("Thinking", _quoted(text)) if text else ""
        case SlashCommandBlock():
            return _quoted(_code(f"{item.command} {item.args or ''}".strip()))
        case ImageBlock() | DocumentBlock():
            return _line(describe(item))
        case ToolResultBlock():
            return _result(item)
        case ToolUseBlock():
            return _exchange(Exchange(item))
        case UnknownBlock():
            return f"[{_line(item.type)}]"


def _exchange(exchange: Exchange) -> str:
    call = exchange.call
    about = argument(call, 100)
    head = f"**{_line(call.name)}**" + (f" {_code(about)}" if about else "")
    parts = [head]
    detail = _input(call)
    if detail:
        parts.append(detail)
    if exchange.result is not None:
        parts.append(_result(exchange.result))
    return "\n\n".join(part for part in parts if part)


def _input(call: ToolUseBlock) -> str:
    args = call.input
    if call.name == "Bash" and isinstance(args.get("command"), str):
        return fence(args["command"], "sh")
    if call.name == "Edit":
        lines, _, _ = changes(str(args.get("old_string") or ""), str(args.get("new_string") or ""))
        return fence("\n".join(lines), "diff")
    if call.name == "Write" and isinstance(args.get("content"), str):
        return fence(args["content"])
    return fence(_json(args), "json") if args else ""


def _result(result: ToolResultBlock) -> str:
    if isinstance(result.content, str):
        body = fence(result.content) if result.content.strip() else ""
    else:
        parts = [_item(part, "assistant") for part in result.content]
        body = "\n\n".join(part for part in parts if part)
    if result.is_error:
        return f"Failed:\n\n{body}" if body else "Failed."
    return body


def fence(text: str, language: str = "") -> str:
    """A code block whose fence cannot be closed from within."""
    text = plain(text).rstrip("\n")
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _closed(text: str) -> str:
    """An answer that was cut off in a code block does not swallow what follows it."""
    opened = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found is None:
            continue
        run, rest = found.groups()
        if not opened:
            opened = run if run[0] == "~" or "`" not in rest else ""
        elif run.startswith(opened) and not rest.strip():
            opened = ""
    return f"{text}\n{opened}" if opened else text


def _code(text: str) -> str:
    text = _line(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _folded(summary: str, body: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _line(text: str) -> str:
    return " ".join(plain(text).split())


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
