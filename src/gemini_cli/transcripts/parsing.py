"""One stored record of any tool as a message, for callers that read files themselves.

A record by itself lacks what runs through its file (the model in use, results that follow);
whole sessions are better loaded than parsed piece by piece.
"""

from collections.abc import Callable

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.claude.message import parse as parse_claude
from gemini_cli.transcripts.codex.reader import Reader
from gemini_cli.transcripts.codex.scan import Plan
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts
from gemini_cli.transcripts.copilot.message import EventReader
from gemini_cli.transcripts.cursor.message import parse as parse_cursor
from gemini_cli.transcripts.errors import UnknownToolError
from gemini_cli.transcripts.gemini.message import only_responses
from gemini_cli.transcripts.gemini.message import parse as parse_gemini
from gemini_cli.transcripts.lines import Record
from gemini_cli.transcripts.model import UnifiedMessage
from gemini_cli.transcripts.opencode.message import parse_rows
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.qwen.message import parse as parse_qwen
from gemini_cli.transcripts.registry import check_tool

_PLAIN = LoadOptions()
Parser = Callable[[JsonObject, LoadOptions], UnifiedMessage | None]


def parse_message(
    tool: str, record: JsonObject, options: LoadOptions = _PLAIN
) -> UnifiedMessage | None:
    """The message of one record; None when the record is nobody's message.

    OpenCode keeps a message in several rows: hand over `{"info": …, "parts": […]}`.
    """
    parser = _PARSERS.get(check_tool(tool))
    if parser is None:
        raise UnknownToolError(tool)
    return parser(record, options)


def _gemini(record: JsonObject, options: LoadOptions) -> UnifiedMessage | None:
    return None if only_responses(record) else parse_gemini(record, options)


def _codex(record: JsonObject, options: LoadOptions) -> UnifiedMessage | None:
    reader = Reader(Plan(), options)
    found = [*reader.feed(Record(1, record)), *reader.finish()]
    return found[0] if found else None


def _copilot(record: JsonObject, _options: LoadOptions) -> UnifiedMessage | None:
    reader = EventReader()
    found = [*reader.feed(Record(1, record)), *reader.finish()]
    return found[0] if found else None


def _opencode(record: JsonObject, options: LoadOptions) -> UnifiedMessage | None:
    info = as_dict(record.get("info"))
    return parse_rows(
        info,
        dicts(record.get("parts")),
        message_id=as_str(info.get("id")),
        include_meta=options.include_meta,
    )


_PARSERS: dict[str, Parser] = {
    "claude": lambda record, options: parse_claude(record, options),
    "codex": _codex,
    "copilot": _copilot,
    "cursor": lambda record, _options: parse_cursor(record, 1),
    "gemini": _gemini,
    "opencode": _opencode,
    "qwen": lambda record, options: parse_qwen(record, options),
}
