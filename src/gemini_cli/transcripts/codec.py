"""Unified messages as JSON and back, in the snake style of old consumers or the camel style.

Reading accepts both styles of usage keys; unknown blocks pass through both ways. A lone
surrogate from a broken record survives as an escape instead of failing the write.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias, cast

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_list, as_str, opt_int, opt_str
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefSource,
    Role,
    SlashCommandBlock,
    Source,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    UnknownBlock,
    UrlSource,
    Usage,
)

Style: TypeAlias = Literal["snake", "camel"]

_USAGE = (
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("total_tokens", "totalTokens"),
    ("cache_creation_tokens", "cacheCreationTokens"),
    ("cache_read_tokens", "cacheReadTokens"),
    ("reasoning_tokens", "reasoningTokens"),
    ("tool_tokens", "toolTokens"),
)


def to_dict(message: UnifiedMessage, style: Style = "snake") -> JsonObject:
    """The message as a JSON object; optional fields that are unset are left out."""
    content = message.content
    found: JsonObject = {
        "id": message.id,
        "role": message.role,
        "content": content if isinstance(content, str) else [block_to_dict(b) for b in content],
        "timestamp": message.timestamp,
        "tool": message.tool,
    }
    if message.model is not None:
        found["model"] = message.model
    if message.usage is not None:
        found["usage"] = usage_to_dict(message.usage, style)
    found["_original"] = message.original
    extras = (
        ("sessionId", message.session_id),
        ("parentId", message.parent_id),
        ("isSidechain", message.is_sidechain),
        ("agentId", message.agent_id),
        ("isMeta", message.is_meta),
    )
    found.update({key: value for key, value in extras if value})
    return found


def usage_to_dict(usage: Usage, style: Style = "snake") -> JsonObject:
    """The numbers that are known, under the keys of the style."""
    column = 1 if style == "camel" else 0
    values = {names[column]: getattr(usage, names[0]) for names in _USAGE}
    return {key: value for key, value in values.items() if value is not None}


def block_to_dict(block: UnifiedContent) -> JsonObject:
    """One block in the shape Claude gives it."""
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case ThinkingBlock():
            return _present(
                type="thinking",
                thinking=block.thinking,
                signature=block.signature,
                data=block.data,
            )
        case ToolUseBlock():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
        case ToolResultBlock():
            content = block.content
            return {
                "type": "tool_result",
                "tool_use_id": block.tool_use_id,
                "content": content
                if isinstance(content, str)
                else [block_to_dict(b) for b in content],
                "is_error": block.is_error,
            }
        case SlashCommandBlock():
            return _present(
                type="slash_command",
                command=block.command,
                message=block.message,
                args=block.args,
            )
        case ImageBlock() | DocumentBlock():
            return {"type": block.type, "source": _source_to_dict(block.source)}
        case UnknownBlock():
            raw = block.raw
            return raw if isinstance(raw, dict) else {"type": block.type, "raw": raw}


def _source_to_dict(source: Source) -> JsonObject:
    match source:
        case Base64Source():
            return {"type": "base64", "data": source.data, "media_type": source.media_type}
        case UrlSource():
            return _present(type="url", url=source.url, media_type=source.media_type)
        case RefSource():
            return _present(
                type="ref",
                sha256=source.sha256,
                size=source.size,
                media_type=source.media_type,
                path=source.path,
            )


def _present(**fields: JsonValue) -> JsonObject:
    return {key: value for key, value in fields.items() if value is not None}


def from_dict(value: JsonValue) -> UnifiedMessage:
    """A message out of JSON of either style. Wrong types become neutral values, never errors."""
    found = as_dict(value)
    tool = as_str(found.get("tool"))
    role = found.get("role")
    return UnifiedMessage(
        id=as_str(found.get("id")),
        role=cast(Role, role) if role in ("user", "assistant", "system") else "system",
        content=_content(found.get("content")),
        timestamp=as_int(found.get("timestamp")),
        tool=tool,
        model=opt_str(found.get("model")),
        usage=usage_from_dict(found["usage"], tool)
        if isinstance(found.get("usage"), dict)
        else None,
        original=found.get("_original"),
        session_id=opt_str(found.get("sessionId")),
        parent_id=opt_str(found.get("parentId")),
        is_sidechain=found.get("isSidechain") is True,
        agent_id=opt_str(found.get("agentId")),
        is_meta=found.get("isMeta") is True,
    )


def usage_from_dict(value: JsonObject, basis: str = "claude") -> Usage:
    """Numbers under either style's keys; `basis` is the tool they come from."""

    def read(name: str) -> int | None:
        camel = dict(_USAGE)[name]
        return opt_int(value[name] if name in value else value.get(camel))

    return Usage(
        input_tokens=read("input_tokens") or 0,
        output_tokens=read("output_tokens") or 0,
        total_tokens=read("total_tokens") or 0,
        cache_creation_tokens=read("cache_creation_tokens"),
        cache_read_tokens=read("cache_read_tokens"),
        reasoning_tokens=read("reasoning_tokens"),
        tool_tokens=read("tool_tokens"),
        basis=basis or "claude",
    )


def _content(value: JsonValue) -> str | list[UnifiedContent]:
    if isinstance(value, str):
        return value
    blocks = [block_from_dict(item) for item in as_list(value)]
    return blocks or ""


def _thinking(raw: JsonObject) -> UnifiedContent:
    return ThinkingBlock(
        as_str(raw.get("thinking")), opt_str(raw.get("signature")), opt_str(raw.get("data"))
    )


def _tool_use(raw: JsonObject) -> UnifiedContent:
    return ToolUseBlock(as_str(raw.get("id")), as_str(raw.get("name")), as_dict(raw.get("input")))


def _tool_result(raw: JsonObject) -> UnifiedContent:
    return ToolResultBlock(
        as_str(raw.get("tool_use_id")), _content(raw.get("content")), raw.get("is_error") is True
    )


def _slash(raw: JsonObject) -> UnifiedContent:
    return SlashCommandBlock(
        as_str(raw.get("command")), opt_str(raw.get("message")), opt_str(raw.get("args"))
    )


_READERS: dict[str, Callable[[JsonObject], UnifiedContent]] = {
    "text": lambda raw: TextBlock(as_str(raw.get("text"))),
    "thinking": _thinking,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "slash_command": _slash,
    "image": lambda raw: media_from_dict(raw, ImageBlock),
    "document": lambda raw: media_from_dict(raw, DocumentBlock),
}


def block_from_dict(value: JsonValue) -> UnifiedContent:
    """One block out of JSON; a type nobody knows becomes an `UnknownBlock`."""
    raw = as_dict(value)
    kind = as_str(raw.get("type"))
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(raw)
    if not kind and set(raw) == {"type", "raw"}:  # how a block that is no object is written
        return UnknownBlock(kind, raw["raw"])
    return UnknownBlock(kind, value)


def media_from_dict(
    raw: JsonObject, shape: type[ImageBlock] | type[DocumentBlock]
) -> ImageBlock | DocumentBlock | UnknownBlock:
    """A picture or document block from Claude's `source` object."""
    source = as_dict(raw.get("source"))
    media = opt_str(source.get("media_type"))
    kind = source.get("type")
    if kind == "base64" and isinstance(source.get("data"), str):
        fallback = "image/png" if shape is ImageBlock else "application/octet-stream"
        return shape(Base64Source(source["data"], media or fallback))
    if kind == "url" and isinstance(source.get("url"), str):
        return shape(UrlSource(source["url"], media))
    if kind == "ref":
        digest, size = as_str(source.get("sha256")), as_int(source.get("size"))
        return shape(RefSource(digest, size, media or "image/png", opt_str(source.get("path"))))
    return UnknownBlock(as_str(raw.get("type")), raw)


def dumps(message: UnifiedMessage, style: Style = "snake") -> str:
    """One line of JSON."""
    return _encode(to_dict(message, style))


def dump_lines(messages: Iterable[UnifiedMessage], style: Style = "snake") -> Iterable[str]:
    """JSON lines, without line ends."""
    return (dumps(message, style) for message in messages)


def loads(text: str | bytes) -> UnifiedMessage:
    """The message of one line of JSON; `ValueError` when it is not JSON, or nested too deeply."""
    try:
        return from_dict(decode(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _encode(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, UnicodeError, RecursionError):
        return "".join(_pieces(value))


def _pieces(value: JsonValue) -> Iterator[str]:
    """JSON text of whatever could be read, however deep: a record grows when it is a message."""
    waiting: list[Iterator[tuple[str, JsonValue]]] = [iter([("", value)])]
    ends = [""]
    while waiting:
        before, item = next(waiting[-1], (None, None))
        if before is None:
            waiting.pop()
            yield ends.pop()
        elif isinstance(item, dict):
            yield before + "{"
            waiting.append(_members(item))
            ends.append("}")
        elif isinstance(item, list | tuple):
            yield before + "["
            waiting.append(("," if at else "", inner) for at, inner in enumerate(item))
            ends.append("]")
        else:
            yield before + json.dumps(item)


def _members(item: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    for at, (key, inner) in enumerate(item.items()):
        yield f"{',' if at else ''}{json.dumps(key)}:", inner
