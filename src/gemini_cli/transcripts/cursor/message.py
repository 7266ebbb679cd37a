"""Lines of a Cursor transcript as messages; the format is closed and says little.

There are no ids, times or results in it. Old text transcripts are read block by block.
"""

import re
from collections.abc import Iterable, Iterator

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts, opt_str, time_ms
from gemini_cli.transcripts.cursor.names import map_calls
from gemini_cli.transcripts.model import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    UnknownBlock,
)
from gemini_cli.transcripts.places import numbered
from gemini_cli.transcripts.tags import tagged

_MARK = re.compile(r"\[(Thinking|Tool call|Tool result)\][ \t]*(.*)")
_REDACTED = "[REDACTED]"


def parse(
    record: JsonObject, position: int = 1, *, before_ms: int = 0, session_id: str | None = None
) -> UnifiedMessage | None:
    """The message of a line; None for control lines."""
    role = record.get("role")
    if role not in ("user", "assistant"):
        return None
    name = f"cursor-{position}"
    content = as_dict(record.get("message")).get("content")
    items = [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)
    speaker: Role = "user" if role == "user" else "assistant"
    blocks = list(_blocks(items, name, speaker))
    said = "".join(as_str(item.get("text")) for item in items) if role == "user" else ""
    stamp = next(tagged(said, "timestamp"), None) if "<timestamp>" in said else None
    moment = time_ms(stamp.inner.strip()) if stamp else None
    typed = role == "assistant" or not said or "<user_query>" in said or "<" not in said
    return UnifiedMessage(
        id=name,
        role=speaker,
        content=blocks or "",
        timestamp=before_ms if moment is None else moment,
        tool="cursor",
        original=record,
        session_id=session_id,
        is_meta=not typed,
    )


def query_of(text: str) -> str:
    """What a person typed, without the context around it."""
    if "<user_query>" not in text:
        return text
    return "\n".join(found.inner.strip() for found in tagged(text, "user_query")) or text


def _blocks(items: list[JsonObject], name: str, role: Role) -> Iterator[UnifiedContent]:
    for number, item in enumerate(items):
        kind = item.get("type")
        if kind == "text":
            text = as_str(item.get("text"))
            text = query_of(text) if role == "user" else text
            if text.strip() and text.strip() != _REDACTED:
                yield TextBlock(text)
        elif kind == "thinking":
            yield ThinkingBlock(as_str(item.get("thinking")) or as_str(item.get("text")))
        elif kind == "tool_use":
            calls = map_calls(as_str(item.get("name")), as_dict(item.get("input")))
            yield from _uses(opt_str(item.get("id")) or f"{name}_call_{number}", calls)
        else:
            yield UnknownBlock(as_str(kind), item)


def _uses(name: str, calls: list[tuple[str, JsonObject]]) -> Iterator[UnifiedContent]:
    return (ToolUseBlock(numbered(name, at), *call) for at, call in enumerate(calls))


def parse_text(
    lines: Iterable[str], *, at_ms: int = 0, session_id: str | None = None
) -> Iterator[UnifiedMessage]:
    """The messages of an old text transcript."""
    role: Role | None = None
    held: list[str] = []
    position = 0
    for line in [*lines, "assistant:"]:
        if line in ("user:", "assistant:"):
            if role is not None and any(part.strip() for part in held):
                position += 1
                yield _from_text(role, held, position, at_ms, session_id)
            role, held = ("user" if line == "user:" else "assistant"), []
        else:
            held.append(line)


def _from_text(
    role: Role, held: list[str], position: int, at_ms: int, session_id: str | None
) -> UnifiedMessage:
    name = f"cursor-{position}"
    blocks: list[UnifiedContent] = []
    if role == "user":
        blocks.append(TextBlock(query_of("\n".join(held).strip())))
    else:
        blocks += _assistant_text(held, name)
    return UnifiedMessage(
        id=name,
        role=role,
        content=blocks or "",
        timestamp=at_ms,
        tool="cursor",
        original="\n".join(held),
        session_id=session_id,
    )


def _assistant_text(held: list[str], name: str) -> Iterator[UnifiedContent]:
    kind, rest = "", [""]
    sections: list[tuple[str, list[str]]] = []
    for line in held:
        mark = _MARK.match(line)
        if mark:
            sections.append((kind, rest))
            kind, rest = mark[1], [mark[2]]
        elif kind == "Thinking" and not line.strip():
            sections.append((kind, rest))
            kind, rest = "", [""]
        else:
            rest.append(line)
    for number, (what, words) in enumerate([*sections, (kind, rest)]):
        text = "\n".join(words).strip()
        if what == "Tool call":
            calls = map_calls(words[0].strip(), _args(words[1:]))
            yield from _uses(f"{name}_call_{number}", calls)
        elif what == "Thinking" and text:
            yield ThinkingBlock(text)
        elif what == "" and text:
            yield TextBlock(text)


def _args(lines: list[str]) -> JsonObject:
    pairs = [line.strip().partition(":") for line in lines if ":" in line]
    return {key.strip(): value.strip() for key, _, value in pairs}
