"""One response item of Codex as blocks: who speaks, what is said, whether a person typed it.

State that runs through a file (the model, the time, open calls) belongs to the reader; here one
payload is looked at by itself.
"""

import re
from collections.abc import Callable

from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.media import image_block
from gemini_cli.transcripts.codex.names import arguments, map_call, map_calls, qualified, web_search
from gemini_cli.transcripts.codex.output import answer_of
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_int, opt_str
from gemini_cli.transcripts.model import (
    Base64Source,
    ImageBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnknownBlock,
    Usage,
)
from gemini_cli.transcripts.places import numbered

IDE_REQUEST = "## My request for Codex:"
_CONTEXT = re.compile(
    r"\s*(?:<(?:environment_context|skill|turn_aborted|user_shell_command|subagent_notification"
    r"|[a-zA-Z_]+_instructions)[\s>]|# AGENTS\.md instructions)"
)
TEXTS = ("input_text", "output_text", "text")
_ANSWERS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


class Said(Struct, gc=False):
    """What one item comes to, before the reader gives it a name and a time."""

    role: Role
    blocks: list[UnifiedContent]
    id: str | None = None
    is_meta: bool = False
    awaits_answer: bool = False
    """Whether its calls are answered by an item of their own; searches of the web are not."""
    answers: str | None = None
    """The id of the call it answers."""


def parse_item(payload: JsonObject, *, keep_empty: bool = False) -> Said | None:
    """The item's content; None for items that are never shown.

    `keep_empty` is the SDK's way: thoughts that say nothing are there, a patch is one call.
    """
    kind = as_str(payload.get("type"))
    reader = _CALLS.get(kind)
    if reader is not None:
        return _called(payload, reader(payload), one_only=keep_empty)
    if kind in _ANSWERS:
        return _answer(payload)
    if kind == "message":
        return _message(payload)
    if kind == "reasoning":
        return _reasoning(payload, keep_empty=keep_empty)
    if kind == "image_generation_call":
        return _picture(payload)
    if kind == "ghost_snapshot":
        return None
    return Said("system", [UnknownBlock(kind, payload)], opt_str(payload.get("id")), is_meta=True)


def texts_of(payload: JsonObject) -> list[str]:
    """The texts of a message, one for each item."""
    content = payload.get("content")
    if isinstance(content, str):
        return [content]
    items = dicts(content)
    return [as_str(item.get("text")) for item in items if item.get("type") in TEXTS]


def is_context(texts: list[str]) -> bool:
    """Whether everything said was put there by the product."""
    return bool(texts) and all(_CONTEXT.match(text) for text in texts)


def request_of(text: str) -> str:
    """What a person asked, without the list of open files an editor puts before it."""
    return text.partition(IDE_REQUEST)[2].strip() if IDE_REQUEST in text else text.strip()


def _message(payload: JsonObject) -> Said | None:
    role = payload.get("role")
    blocks: list[UnifiedContent] = []
    content = payload.get("content")
    if isinstance(content, str):
        blocks.append(TextBlock(content))
    for item in dicts(content):
        picture = image_block(item)
        if picture is not None:
            blocks.append(picture)
        elif item.get("type") in TEXTS:
            blocks.append(TextBlock(as_str(item.get("text"))))
        else:
            blocks.append(UnknownBlock(as_str(item.get("type")), item))
    name = opt_str(payload.get("id"))
    if role == "assistant":
        return Said("assistant", blocks, name)
    if role == "user":
        context = is_context(texts_of(payload)) and all(isinstance(b, TextBlock) for b in blocks)
        return Said("user", blocks, name, is_meta=context)
    return Said("system", blocks, name, is_meta=True)


def _reasoning(payload: JsonObject, *, keep_empty: bool) -> Said | None:
    items = dicts(payload.get("summary")) or dicts(payload.get("content"))
    text = "\n".join(as_str(item.get("text")) for item in items)
    if not text.strip() and not keep_empty:
        return None
    return Said("assistant", [ThinkingBlock(text)], opt_str(payload.get("id")))


Calls = list[tuple[str, JsonObject]]


def _function(payload: JsonObject) -> Calls:
    name = qualified(as_str(payload.get("name")), payload.get("namespace"))
    return map_calls(name, arguments(payload.get("arguments")))


def _custom(payload: JsonObject) -> Calls:
    given = payload.get("input")
    name = qualified(as_str(payload.get("name")), payload.get("namespace"))
    return map_calls(name, given if isinstance(given, dict) else {"input": given})


def _local_shell(payload: JsonObject) -> Calls:
    return map_calls("local_shell", as_dict(payload.get("action")))


def _search(payload: JsonObject) -> Calls:
    return [web_search(payload.get("action"), payload.get("query"))]


_CALLS: dict[str, Callable[[JsonObject], Calls]] = {
    "function_call": _function,
    "custom_tool_call": _custom,
    "local_shell_call": _local_shell,
    "web_search_call": _search,
}


def _called(payload: JsonObject, calls: Calls, *, one_only: bool) -> Said:
    """One block for each file of a patch: the first has the call's id, the others a number."""
    name = opt_str(payload.get("call_id")) or opt_str(payload.get("id")) or ""
    if one_only and len(calls) > 1:
        calls = [map_call(as_str(payload.get("name")), arguments(payload.get("arguments")))]
    names = [numbered(name, at) for at in range(len(calls))]
    blocks: list[UnifiedContent] = [
        ToolUseBlock(one, *call) for one, call in zip(names, calls, strict=True)
    ]
    awaits = payload.get("type") != "web_search_call"
    return Said("assistant", blocks, name or None, awaits_answer=awaits)


def _answer(payload: JsonObject) -> Said:
    name = as_str(payload.get("call_id")) or as_str(payload.get("id"))
    content, failed = answer_of(payload.get("output"))
    block = ToolResultBlock(name, content, failed)
    return Said("assistant", [block], f"{name}_output" if name else None, answers=name)


def _picture(payload: JsonObject) -> Said | None:
    data = payload.get("result")
    if not isinstance(data, str) or not data:
        return None
    return Said("assistant", [ImageBlock(Base64Source(data))], opt_str(payload.get("id")))


def usage_of(value: JsonValue) -> Usage | None:
    """One request's numbers; cached input and reasoning are parts of the two sums."""
    if not isinstance(value, dict):
        return None
    return Usage(
        input_tokens=as_int(value.get("input_tokens")),
        output_tokens=as_int(value.get("output_tokens")),
        total_tokens=as_int(value.get("total_tokens")),
        cache_creation_tokens=opt_int(value.get("cache_write_input_tokens")),
        cache_read_tokens=opt_int(value.get("cached_input_tokens")),
        reasoning_tokens=opt_int(value.get("reasoning_output_tokens")),
        basis="codex",
    )
