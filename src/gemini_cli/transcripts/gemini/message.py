"""One Gemini record as one unified message: thinking, then calls with results, then text.

The record is taken as it is and never changed. What the product put into the conversation
itself is marked as meta; turns that only repeat tool responses are nobody's message.
"""

from collections.abc import Iterator, Sequence

from gemini_cli.ground.formats.session_file import is_context, parts_of, text_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_int, opt_str, time_ms
from gemini_cli.transcripts.gemini.media import media_block
from gemini_cli.transcripts.gemini.names import agent_call, map_call
from gemini_cli.transcripts.gemini.results import LaterResponses, result_block
from gemini_cli.transcripts.model import (
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
from gemini_cli.transcripts.places import derived_id

_PLAIN = LoadOptions()
_PART_DATA = ("executableCode", "codeExecutionResult")


def parse(
    record: JsonObject,
    options: LoadOptions = _PLAIN,
    *,
    session_id: str | None = None,
    position: int = 0,
    before_ms: int = 0,
    responses: Sequence[JsonObject] = (),
) -> UnifiedMessage:
    """The message of a record. `responses` are response parts stored after it, for its calls.

    `position` names a record without an id, `before_ms` dates one without a time.
    """
    role = role_of(record, options)
    moment = time_ms(record.get("timestamp"))
    name = opt_str(record.get("id")) or derived_id(session_id, position)
    if role == "assistant":
        blocks = list(_assistant(record, name, options, responses))
    else:
        blocks = list(_spoken(record, role, options))
    return UnifiedMessage(
        id=name,
        role=role,
        content=blocks or "",
        timestamp=before_ms if moment is None else moment,
        tool="gemini",
        model=opt_str(record.get("model")),
        usage=usage_of(record.get("tokens")),
        original=record,
        session_id=session_id,
        is_meta=role == "user" and is_context(text_of(record.get("content"))),
    )


def role_of(record: JsonObject, options: LoadOptions = _PLAIN) -> Role:
    """`info`, `warning` and `error` are the product speaking, not the model."""
    kind = record.get("type")
    if kind == "user":
        return "user"
    if kind == "gemini" or options.compat == "sdk" or record.get("toolCalls"):
        return "assistant"
    return "system"


def only_responses(record: JsonObject) -> bool:
    """Whether a user record merely repeats tool responses (with their media and nothing else)."""
    if record.get("type") != "user" or isinstance(record.get("content"), str):
        return False
    parts = parts_of(record.get("content"))
    answers = [part for part in parts if "functionResponse" in part]
    spoken = any(as_str(part.get("text")).strip() for part in parts if "thought" not in part)
    return bool(answers) and not spoken


def usage_of(tokens: JsonValue) -> Usage | None:
    """The record's numbers, unchanged: `input` holds the cached tokens, `output` no thoughts."""
    if not isinstance(tokens, dict):
        return None
    return Usage(
        input_tokens=as_int(tokens.get("input")),
        output_tokens=as_int(tokens.get("output")),
        total_tokens=as_int(tokens.get("total")),
        cache_read_tokens=opt_int(tokens.get("cached")),
        reasoning_tokens=opt_int(tokens.get("thoughts")),
        tool_tokens=opt_int(tokens.get("tool")),
        basis="gemini",
    )


def _assistant(
    record: JsonObject, name: str, options: LoadOptions, responses: Sequence[JsonObject]
) -> Iterator[UnifiedContent]:
    parts = parts_of(record.get("content"))
    thoughts = dicts(record.get("thoughts"))
    yield from thinking(thoughts, parts)
    yield from _calls(record, parts, name, options, responses)
    yield from said(parts)


def thinking(thoughts: list[JsonObject], parts: list[JsonObject]) -> Iterator[UnifiedContent]:
    for thought in thoughts:
        words = [as_str(thought.get(key)) for key in ("subject", "description")]
        text = ": ".join(word for word in words if word.strip())
        if text:
            yield ThinkingBlock(text)
    if thoughts:
        return
    for part in parts:
        if part.get("thought") is True and as_str(part.get("text")).strip():
            yield ThinkingBlock(part["text"], opt_str(part.get("thoughtSignature")))


def _calls(
    record: JsonObject,
    parts: list[JsonObject],
    name: str,
    options: LoadOptions,
    responses: Sequence[JsonObject],
) -> Iterator[UnifiedContent]:
    calls = all_calls(record, parts)
    later = LaterResponses(responses) if responses else None
    for number, call in enumerate(calls):
        call_id = opt_str(call.get("id")) or f"{name}_call_{number}"
        yield ToolUseBlock(call_id, *_mapped(call, options))
        result = result_block(call, call_id, options)
        if later is not None and (result is None or _made_up(call, result)):
            filled = later.to(call, number, len(calls))
            result = result_block(call, call_id, options, filled) if filled else result
        if result is not None:
            yield result


def all_calls(record: JsonObject, parts: list[JsonObject]) -> list[JsonObject]:
    """The recorded calls, then those that only the content still knows of."""
    calls = dicts(record.get("toolCalls"))
    known = {as_str(call.get("id")) for call in calls}
    asked = [as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
    if calls and not any(call.get("id") for call in asked):
        return calls  # content without ids repeats the recorded calls
    return calls + [
        call for call in asked if call and (as_str(call.get("id")) or None) not in known
    ]


def _made_up(call: JsonObject, result: ToolResultBlock) -> bool:
    """Whether a result stands for a missing one."""
    return result.content == "" and not call.get("result")


def _mapped(call: JsonObject, options: LoadOptions) -> tuple[str, JsonObject]:
    tool, args = as_str(call.get("name")), as_dict(call.get("args"))
    display = as_dict(call.get("resultDisplay"))
    mapped = map_call(tool, args, options.mcp_servers, options.compat)
    by_agent = "agentId" in call or display.get("isSubagentProgress") is True
    if by_agent and mapped[0] == tool and options.compat is None:
        return agent_call(tool, args)
    return mapped


def said(parts: list[JsonObject]) -> Iterator[UnifiedContent]:
    """Text, media and code of the parts; text that is not interrupted is one block."""
    run: list[str] = []
    for part in parts:
        if "functionCall" in part or "functionResponse" in part or part.get("thought") is True:
            continue
        if isinstance(part.get("text"), str):
            run.append(part["text"])
            continue
        block = media_block(part) or _code(part)
        if block is not None:
            yield from _joined(run)
            run = []
            yield block
    yield from _joined(run)


def _joined(run: list[str]) -> Iterator[UnifiedContent]:
    text = "".join(run)
    if text.strip():
        yield TextBlock(text)


def _code(part: JsonObject) -> UnifiedContent | None:
    found = next((key for key in _PART_DATA if key in part), None)
    return UnknownBlock(found, part) if found else None


def _spoken(record: JsonObject, role: Role, options: LoadOptions) -> Iterator[UnifiedContent]:
    parts = parts_of(record.get("content"))
    typed = record.get("displayContent")
    if typed:
        media = [part for part in parts if media_block(part) is not None]
        parts = [{"text": text_of(typed)}, *media] if text_of(typed).strip() else parts
    for block in said(parts):
        if role == "user" and options.compat is None and isinstance(block, TextBlock):
            yield slash_command(block.text) or block
        else:
            yield block


def slash_command(text: str) -> SlashCommandBlock | None:
    """`/name rest` as a command; None for every other text."""
    if not text.startswith("/"):
        return None
    command, *rest = text.split(None, 1)
    return SlashCommandBlock(command, args=rest[0].strip() if rest else None)
