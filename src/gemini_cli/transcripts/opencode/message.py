"""One OpenCode message with its parts as one unified message, calls beside their results.

Parts come in the order they were made. Snapshots, patches and step marks say nothing to a
reader and are left out.
"""

from collections.abc import Callable, Iterator

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.media import file_block
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_str, present, time_ms
from gemini_cli.transcripts.gemini.results import compact
from gemini_cli.transcripts.model import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)
from gemini_cli.transcripts.opencode.names import map_calls
from gemini_cli.transcripts.places import numbered


def parse_rows(
    info: JsonObject,
    parts: list[JsonObject],
    *,
    message_id: str,
    session_id: str | None = None,
    before_ms: int = 0,
    include_meta: bool = False,
) -> UnifiedMessage:
    """The message. Texts nobody typed are left out of it, unless it has nothing else."""
    role: Role = "assistant" if info.get("role") == "assistant" else "user"
    hidden = [part for part in parts if _is_hidden(part)]
    shown = parts if include_meta else [part for part in parts if not _is_hidden(part)]
    blocks = [block for part in shown for block in blocks_of(part)]
    is_meta = bool(hidden) and not blocks
    if is_meta:
        blocks = [block for part in hidden for block in blocks_of(part)]
    failure = as_dict(info.get("error"))
    if failure and not blocks:
        blocks = [TextBlock(_failure(failure))]
    moment = time_ms(as_dict(info.get("time")).get("created"))
    return UnifiedMessage(
        id=message_id,
        role=role,
        content=blocks or "",
        timestamp=before_ms if moment is None else moment,
        tool="opencode",
        model=_model(info),
        usage=_usage(info, parts) if role == "assistant" else None,
        original={"info": info, "parts": parts},
        session_id=session_id or opt_str(info.get("sessionID")),
        parent_id=opt_str(info.get("parentID")),
        is_meta=is_meta,
    )


def blocks_of(part: JsonObject) -> Iterator[UnifiedContent]:
    """The blocks of one part; none for parts that are bookkeeping."""
    reader = _PARTS.get(as_str(part.get("type")))
    return reader(part) if reader else iter(())


def usage_of(tokens: JsonValue) -> Usage | None:
    """Disjoint numbers; the total is their sum where none is given."""
    if not isinstance(tokens, dict):
        return None
    cache = as_dict(tokens.get("cache"))
    sent, answered = as_int(tokens.get("input")), as_int(tokens.get("output"))
    thought = as_int(tokens.get("reasoning"))
    read, write = as_int(cache.get("read")), as_int(cache.get("write"))
    return Usage(
        input_tokens=sent,
        output_tokens=answered,
        total_tokens=as_int(tokens.get("total"), sent + answered + thought + read + write),
        cache_creation_tokens=write,
        cache_read_tokens=read,
        reasoning_tokens=thought,
        basis="opencode",
    )


def _usage(info: JsonObject, parts: list[JsonObject]) -> Usage | None:
    own = usage_of(info.get("tokens"))
    if own is not None:
        return own
    steps = [part for part in parts if part.get("type") == "step-finish"]
    return usage_of(steps[-1].get("tokens")) if steps else None


def _is_hidden(part: JsonObject) -> bool:
    return part.get("synthetic") is True or part.get("ignored") is True


def _model(info: JsonObject) -> str | None:
    return opt_str(info.get("modelID")) or opt_str(as_dict(info.get("model")).get("modelID"))


def _failure(failure: JsonObject) -> str:
    detail = as_str(as_dict(failure.get("data")).get("message"))
    return ": ".join(word for word in (as_str(failure.get("name")), detail) if word)


def _text(part: JsonObject) -> Iterator[UnifiedContent]:
    text = as_str(part.get("text"))
    if text.strip():
        yield TextBlock(text)


def _reasoning(part: JsonObject) -> Iterator[UnifiedContent]:
    text = as_str(part.get("text"))
    if text.strip():
        yield ThinkingBlock(text)


def _tool(part: JsonObject) -> Iterator[UnifiedContent]:
    state = as_dict(part.get("state"))
    name = opt_str(part.get("callID")) or as_str(part.get("id"))
    calls = map_calls(as_str(part.get("tool")), as_dict(state.get("input")))
    names = [numbered(name, at) for at in range(len(calls))]
    yield from (ToolUseBlock(one, *call) for one, call in zip(names, calls, strict=True))
    if state.get("status") == "error":
        words = _words(state.get("error"))
        yield from (ToolResultBlock(one, words, is_error=True) for one in names)
    elif state.get("status") == "completed":
        yield from (_completed(one, state) for one in names)


def _completed(name: str, state: JsonObject) -> ToolResultBlock:
    text = _words(state.get("output"))
    media = [b for item in dicts(state.get("attachments")) for b in _file(item)]
    if not media:
        return ToolResultBlock(name, text)
    spoken: list[UnifiedContent] = [TextBlock(text)] if text.strip() else []
    return ToolResultBlock(name, spoken + media)


def _words(value: JsonValue) -> str:
    return value if isinstance(value, str) else "" if value is None else compact(value)


def _file(part: JsonObject) -> Iterator[UnifiedContent]:
    mime, url = as_str(part.get("mime")), as_str(part.get("url"))
    block = file_block(url, mime) if url.startswith("data:") or mime.startswith("image/") else None
    yield block or TextBlock(f"[file: {as_str(part.get('filename')) or url}]")


def _subtask(part: JsonObject) -> Iterator[UnifiedContent]:
    fields = present(
        prompt=part.get("prompt"),
        description=part.get("description"),
        subagent_type=part.get("agent"),
    )
    yield ToolUseBlock(as_str(part.get("id")), "Task", fields)


_PARTS: dict[str, Callable[[JsonObject], Iterator[UnifiedContent]]] = {
    "text": _text,
    "reasoning": _reasoning,
    "tool": _tool,
    "file": _file,
    "subtask": _subtask,
}
