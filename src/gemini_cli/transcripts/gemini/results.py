"""The result of one Gemini tool call: which response is its own, what it says, whether it failed.

After a resume every call of a turn carries the responses of the whole turn, so a response is
chosen by id and never by position. Display texts are not looked at.
"""

import re
from collections.abc import Sequence

import msgspec

from gemini_cli.ground.formats.session_file import FINAL_STATUS, parts_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts
from gemini_cli.transcripts.gemini.media import media_block
from gemini_cli.transcripts.model import TextBlock, ToolResultBlock, UnifiedContent
from gemini_cli.transcripts.options import LoadOptions

_PENDING = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})
_WRAPPER = re.compile(r"\s*<untrusted_context[^>]*>\n?(.*?)\n?</untrusted_context>\s*", re.DOTALL)
_EXIT = re.compile(r"^[ \t]*Exit Code: (-?[0-9]+)", re.MULTILINE)


def is_pending(call: JsonObject) -> bool:
    """Whether the call was still under way when it was recorded."""
    return as_str(call.get("status")) in _PENDING


def responses_of(parts: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """Each response part with the media parts that follow it."""
    places = [i for i, part in enumerate(parts) if isinstance(part.get("functionResponse"), dict)]
    ends = [*places[1:], len(parts)]
    return [list(parts[start:end]) for start, end in zip(places, ends, strict=False)]


def own_response(parts: Sequence[JsonObject], call_id: str) -> list[JsonObject]:
    """The response of this call; one that stands alone is taken whatever its name is."""
    found = responses_of(parts)
    own = (r for r in found if r[0]["functionResponse"].get("id") == call_id)
    return next(own, found[0] if len(found) == 1 else [])


class LaterResponses:
    """Responses that were stored after the message that made the calls."""

    def __init__(self, parts: Sequence[JsonObject]) -> None:
        self._all = responses_of(parts)
        ids = [as_str(own[0]["functionResponse"].get("id")) for own in self._all]
        self._nameless = [own for own, name in zip(self._all, ids, strict=True) if not name]
        self._by_id = dict(zip(reversed(ids), reversed(self._all), strict=True))

    def to(self, call: JsonObject, number: int, count: int) -> list[JsonObject]:
        """The response to the call of this number among so many: by id, else by order and name."""
        call_id = as_str(call.get("id"))
        if call_id and call_id in self._by_id:
            return self._by_id[call_id]
        answers = self._nameless if call_id else self._all
        if not number < len(answers) <= count:
            return []
        named = answers[number][0]["functionResponse"].get("name")
        return answers[number] if named == call.get("name") else []


def result_block(
    call: JsonObject, call_id: str, options: LoadOptions, filled: Sequence[JsonObject] = ()
) -> ToolResultBlock | None:
    """The result, or None while there is none. `filled` is a response found elsewhere."""
    status = as_str(call.get("status"))
    result = call.get("result")
    if filled:
        own = list(filled)
    elif is_pending(call):
        return None
    else:
        own = own_response(parts_of(result), call_id)
    if own:
        content, failed = _spoken(own, status)
    elif isinstance(result, str):
        content, failed = result, status in ("error", "cancelled")
    elif _loose(result):
        content, failed = _loose(result), status in ("error", "cancelled")
    elif status in FINAL_STATUS:
        content, failed = "", status != "success"
    else:
        return None
    return _shaped(call, call_id, content, failed, own, options)


def _spoken(own: Sequence[JsonObject], status: JsonValue) -> tuple[str, bool]:
    response = as_dict(own[0]["functionResponse"]).get("response")
    fields = as_dict(response)
    output, error = fields.get("output"), fields.get("error")
    if output is not None:
        failed = status == "error" or error is not None
        return output if isinstance(output, str) else compact(output), failed
    if error is not None:
        return error if isinstance(error, str) else compact(error), True
    failed = status in ("error", "cancelled")
    if isinstance(response, str):
        return response, failed
    return compact(response) if fields else "", failed


def _loose(result: JsonValue) -> str:
    """Text of a result that has no response part at all."""
    parts = parts_of(result) if isinstance(result, list | dict) else []
    if any("functionResponse" in part for part in parts):
        return ""
    return "".join(as_str(part.get("text")) for part in parts)


def _shaped(
    call: JsonObject,
    call_id: str,
    text: str,
    failed: bool,
    own: Sequence[JsonObject],
    options: LoadOptions,
) -> ToolResultBlock:
    if options.shell_exit_is_error and call.get("name") == "run_shell_command":
        codes = _EXIT.findall(text)  # the last is the shell's own, whatever was printed before
        failed = failed or (bool(codes) and is_failure(codes[-1]))
    if options.strip_untrusted:
        wrapped = _WRAPPER.fullmatch(text)
        text = wrapped[1] if wrapped else text
    media = [block for part in _media_parts(own) if (block := media_block(part)) is not None]
    if not media:
        return ToolResultBlock(call_id, text, failed)
    blocks: list[UnifiedContent] = [TextBlock(text)] if text.strip() else []
    return ToolResultBlock(call_id, blocks + media, failed)


def _media_parts(own: Sequence[JsonObject]) -> list[JsonObject]:
    if not own:
        return []
    nested = dicts(as_dict(own[0]["functionResponse"]).get("parts"))
    return nested + list(own[1:])


def is_failure(code: str) -> bool:
    """Whether an exit code in digits, of any length, is another than zero."""
    return code.strip("-0") != ""


def compact(value: JsonValue) -> str:
    """JSON without spaces."""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return "[nested too deeply]"
    except (ValueError, UnicodeError):
        return str(value).encode("utf-8", "replace").decode()
