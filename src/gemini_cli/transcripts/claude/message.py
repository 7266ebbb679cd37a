"""One line of Claude Code as one unified message; the shape is Claude's own already.

What the product wrote into the user's place is marked as meta. Blocks of unknown types pass
through whole, except under the SDK's compatibility, which empties them.
"""

from collections.abc import Callable, Iterator

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codec import media_from_dict
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, opt_int, opt_str, time_ms
from gemini_cli.transcripts.gemini.results import compact
from gemini_cli.transcripts.model import (
    DocumentBlock,
    ImageBlock,
    Role,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    UnknownBlock,
    Usage,
)
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.tags import tagged, without_tagged

_PLAIN = LoadOptions()
_COMMAND = ("command-name", "command-message", "command-args")
INTERRUPTED = "[Request interrupted by user"
_MARKS = (INTERRUPTED, "<local-command-stdout>", "<local-command-stderr>")


def parse(
    record: JsonObject, options: LoadOptions = _PLAIN, *, before_ms: int = 0
) -> UnifiedMessage | None:
    """The message of a line, or None when the line is not one of a person or the model."""
    kind = record.get("type")
    if kind not in ("user", "assistant"):
        return None
    message = as_dict(record.get("message"))
    role: Role = "assistant" if message.get("role", kind) == "assistant" else "user"
    if message.get("role") not in ("user", "assistant"):
        role = "assistant" if kind == "assistant" else "user"
    moment = time_ms(record.get("timestamp"))
    blocks = content_of(message.get("content"), role, options)
    return UnifiedMessage(
        id=_name(record, message),
        role=role,
        content=blocks or "",
        timestamp=before_ms if moment is None else moment,
        tool="claude",
        model=opt_str(message.get("model")),
        usage=usage_of(message.get("usage")),
        original=record,
        session_id=opt_str(record.get("sessionId")),
        parent_id=opt_str(record.get("parentUuid")),
        is_sidechain=record.get("isSidechain") is True,
        agent_id=opt_str(record.get("agentId")),
        is_meta=record.get("isMeta") is True or (role == "user" and _is_mark(blocks)),
    )


def _name(record: JsonObject, message: JsonObject) -> str:
    found = opt_str(record.get("uuid")) or opt_str(message.get("id"))
    return found or f"{as_str(record.get('timestamp'))}-{as_str(record.get('type'))}"


def usage_of(value: JsonValue) -> Usage | None:
    """The response's numbers; the cache is not part of the input here."""
    if not isinstance(value, dict):
        return None
    sent, answered = as_int(value.get("input_tokens")), as_int(value.get("output_tokens"))
    return Usage(
        input_tokens=sent,
        output_tokens=answered,
        total_tokens=sent + answered,
        cache_creation_tokens=opt_int(value.get("cache_creation_input_tokens")),
        cache_read_tokens=opt_int(value.get("cache_read_input_tokens")),
        basis="claude",
    )


def content_of(
    content: JsonValue, role: Role = "assistant", options: LoadOptions = _PLAIN
) -> list[UnifiedContent]:
    """The blocks of a message's content, a str or a list."""
    if isinstance(content, str):
        return list(_text(content, role)) if content else []
    found: list[UnifiedContent] = []
    for item in content if isinstance(content, list) else []:
        if isinstance(item, str):
            found += _text(item, role)
        elif isinstance(item, dict):
            if item.get("type") == "text":
                found += _text(as_str(item.get("text")), role)
            else:
                found.append(block_of(item, options))
        else:
            found.append(_unknown("", item, options))
    return found


def _text(text: str, role: Role) -> Iterator[UnifiedContent]:
    if role != "user" or "<command-name>" not in text:
        yield TextBlock(text)
        return
    fields = {found.name: found.inner.strip() for found in tagged(text, *_COMMAND)}
    name, message, args = (fields.get(key) or None for key in _COMMAND)
    if name is None:
        yield TextBlock(text)
        return
    yield SlashCommandBlock(name, message, args)
    rest = without_tagged(text, *_COMMAND).strip()
    if rest:
        yield TextBlock(rest)


def block_of(raw: JsonObject, options: LoadOptions = _PLAIN) -> UnifiedContent:
    """One block that is not text."""
    kind = as_str(raw.get("type"))
    reader = _READERS.get(kind)
    if reader is not None:
        found = reader(raw)
        return _unknown(kind, raw, options) if isinstance(found, UnknownBlock) else found
    if kind == "tool_result" or kind.endswith("_tool_result"):
        return _result(raw, options)
    return _unknown(kind, raw, options)


def _unknown(kind: str, raw: JsonValue, options: LoadOptions) -> UnifiedContent:
    return TextBlock("") if options.compat == "sdk" else UnknownBlock(kind, raw)


def _result(raw: JsonObject, options: LoadOptions) -> ToolResultBlock:
    content = raw.get("content")
    name, failed = as_str(raw.get("tool_use_id")), raw.get("is_error") is True
    if isinstance(content, str):
        return ToolResultBlock(name, content, failed)
    if isinstance(content, list):
        blocks = content_of(content, "assistant", options)
        return ToolResultBlock(name, blocks or "", failed)
    return ToolResultBlock(name, "" if content is None else compact(content), failed)


def _thinking(raw: JsonObject) -> UnifiedContent:
    return ThinkingBlock(as_str(raw.get("thinking")), opt_str(raw.get("signature")))


def _redacted(raw: JsonObject) -> UnifiedContent:
    return ThinkingBlock("", data=opt_str(raw.get("data")))


def _tool_use(raw: JsonObject) -> UnifiedContent:
    return ToolUseBlock(as_str(raw.get("id")), as_str(raw.get("name")), as_dict(raw.get("input")))


_READERS: dict[str, Callable[[JsonObject], UnifiedContent]] = {
    "text": lambda raw: TextBlock(as_str(raw.get("text"))),
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _tool_use,
    "server_tool_use": _tool_use,
    "mcp_tool_use": _tool_use,
    "image": lambda raw: media_from_dict(raw, ImageBlock),
    "document": lambda raw: media_from_dict(raw, DocumentBlock),
}


def _is_mark(blocks: list[UnifiedContent]) -> bool:
    """Whether all a message says is that something was interrupted or what a command printed."""
    return bool(blocks) and all(
        isinstance(block, TextBlock) and block.text.lstrip().startswith(_MARKS) for block in blocks
    )
