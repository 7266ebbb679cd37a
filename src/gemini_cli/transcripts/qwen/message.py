"""One record of Qwen Code as one unified message: Claude's envelope around Gemini's parts.

Results stand in records of their own and become user messages, as Claude stores them. System
records are silent, except for slash commands.
"""

from collections.abc import Iterator

from gemini_cli.ground.formats.session_file import is_context, text_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_int, opt_str, time_ms
from gemini_cli.transcripts.gemini.message import said, slash_command, thinking
from gemini_cli.transcripts.gemini.results import responses_of, result_block
from gemini_cli.transcripts.model import (
    Role,
    TextBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.places import derived_id
from gemini_cli.transcripts.qwen.names import map_call

_PLAIN = LoadOptions()


def parse(
    record: JsonObject,
    options: LoadOptions = _PLAIN,
    *,
    position: int = 0,
    before_ms: int = 0,
    typed: str | None = None,
) -> UnifiedMessage | None:
    """The message of a record, or None for silent ones. `typed` replaces an expanded prompt."""
    session_id = opt_str(record.get("sessionId"))
    name = opt_str(record.get("uuid")) or derived_id(session_id, position)
    parts = parts_of(record)
    found = _blocks(record, parts, name, options, typed)
    if found is None:
        return None
    role, blocks = found
    moment = time_ms(record.get("timestamp"))
    return UnifiedMessage(
        id=name,
        role=role,
        content=blocks or "",
        timestamp=before_ms if moment is None else moment,
        tool="qwen",
        model=opt_str(record.get("model")),
        usage=usage_of(record.get("usageMetadata")) if role == "assistant" else None,
        original=record,
        session_id=session_id,
        parent_id=opt_str(record.get("parentUuid")),
        is_sidechain=record.get("isSidechain") is True,
        agent_id=opt_str(record.get("agentId")),
        is_meta=role == "user" and is_context(text_of(parts)),
    )


def parts_of(record: JsonObject) -> list[JsonObject]:
    """The Gemini parts of a record."""
    return dicts(as_dict(record.get("message")).get("parts"))


def usage_of(value: JsonValue) -> Usage | None:
    """The response's numbers: the prompt holds the cache, the answer no thoughts."""
    if not isinstance(value, dict):
        return None
    return Usage(
        input_tokens=as_int(value.get("promptTokenCount")),
        output_tokens=as_int(value.get("candidatesTokenCount")),
        total_tokens=as_int(value.get("totalTokenCount")),
        cache_read_tokens=opt_int(value.get("cachedContentTokenCount")),
        reasoning_tokens=opt_int(value.get("thoughtsTokenCount")),
        tool_tokens=opt_int(value.get("toolUsePromptTokenCount")),
        basis="qwen",
    )


def _blocks(
    record: JsonObject,
    parts: list[JsonObject],
    name: str,
    options: LoadOptions,
    typed: str | None,
) -> tuple[Role, list[UnifiedContent]] | None:
    match record.get("type"):
        case "user":
            return "user", list(_user(parts, typed))
        case "assistant":
            calls = _calls(parts, name, options)
            return "assistant", [*thinking([], parts), *calls, *said(parts)]
        case "tool_result":
            return "user", list(_results(record, parts, options))
        case "system" if record.get("subtype") == "slash_command":
            payload = as_dict(record.get("systemPayload"))
            command = slash_command(as_str(payload.get("rawCommand")))
            return ("user", [command]) if command and _invoked(payload) else None
        case _:
            return None


def _invoked(payload: JsonObject) -> bool:
    return as_str(payload.get("phase"), "invocation") == "invocation"


def _user(parts: list[JsonObject], typed: str | None) -> Iterator[UnifiedContent]:
    blocks = list(said(parts))
    if typed:
        blocks = [TextBlock(typed), *(b for b in blocks if not isinstance(b, TextBlock))]
    for block in blocks:
        yield (slash_command(block.text) or block) if isinstance(block, TextBlock) else block


def _calls(parts: list[JsonObject], name: str, options: LoadOptions) -> Iterator[UnifiedContent]:
    calls = [as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
    for number, call in enumerate(calls):
        mapped = map_call(as_str(call.get("name")), as_dict(call.get("args")), options.mcp_servers)
        yield ToolUseBlock(opt_str(call.get("id")) or f"{name}_call_{number}", *mapped)


def _results(
    record: JsonObject, parts: list[JsonObject], options: LoadOptions
) -> Iterator[UnifiedContent]:
    known = as_dict(record.get("toolCallResult"))
    status = as_str(known.get("status"), "error" if known.get("error") else "success")
    found = responses_of(parts)
    unsaid: list[list[JsonObject]] = [[{"functionResponse": {"id": known.get("callId")}}]]
    answers = found or (unsaid if known.get("callId") else [])
    for own in answers:
        answer = own[0]["functionResponse"]
        name = as_str(answer.get("id")) or as_str(known.get("callId"))
        call: JsonObject = {
            "id": answer.get("id"),
            "name": answer.get("name"),
            "result": own if found else parts,
            "status": status if len(answers) == 1 or name == known.get("callId") else "success",
        }
        block = result_block(call, name, options)
        if block is not None:
            yield block
