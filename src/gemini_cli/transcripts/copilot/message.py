"""The events of a Copilot CLI session as messages.

A call is taken from the message that asked for it; its start event counts only where no message
did. Deltas and bookkeeping are passed over.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, as_int, as_str, dicts, opt_str, time_ms
from gemini_cli.transcripts.copilot.names import map_calls, mcp_call
from gemini_cli.transcripts.gemini.media import media_of
from gemini_cli.transcripts.gemini.results import compact
from gemini_cli.transcripts.lines import Record
from gemini_cli.transcripts.model import (
    Base64Source,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnifiedContent,
    UnifiedMessage,
    Usage,
)
from gemini_cli.transcripts.places import derived_id, numbered

_NOTICES = ("abort", "session.error", "session.info", "session.warning")


class EventReader:
    """State of one session: model, clock, calls already shown, reasoning that waits."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.model: str | None = None
        self._before = 0
        self._asked: dict[str, int] = {}
        """How many calls each request came to: a patch is one for each file."""
        self._thought: tuple[Record, str] | None = None

    def feed(self, record: Record) -> Iterator[UnifiedMessage]:
        """The messages of one event, in order."""
        event = record.value
        moment = time_ms(event.get("timestamp"))
        self._before = self._before if moment is None else moment
        data = as_dict(event.get("data"))
        match event.get("type"):
            case "session.start" | "session.resume":
                self._start(data)
            case "session.model_change":
                self.model = opt_str(data.get("newModel")) or self.model
            case "user.message":
                yield from self.finish()
                yield self._user(record, data)
            case "assistant.reasoning":
                yield from self.finish()
                self._thought = (record, as_str(data.get("content")))
            case "assistant.message":
                yield self._assistant(record, data)
            case "tool.execution_start":
                yield from self._started(record, data)
            case "tool.execution_complete":
                yield self._message(record, "user", self._results(data))
            case kind if kind in _NOTICES:
                text = as_str(data.get("message")) or as_str(data.get("reason")) or as_str(kind)
                yield self._message(record, "system", [TextBlock(text)])

    def finish(self) -> Iterator[UnifiedMessage]:
        """Reasoning that no message took over."""
        if self._thought is not None:
            record, text = self._thought
            self._thought = None
            if text.strip():
                yield self._message(record, "assistant", [ThinkingBlock(text)])

    def _start(self, data: JsonObject) -> None:
        self.session_id = self.session_id or opt_str(data.get("sessionId"))
        self.model = opt_str(data.get("selectedModel")) or self.model

    def _user(self, record: Record, data: JsonObject) -> UnifiedMessage:
        text = as_str(data.get("content"))
        source = data.get("source")
        blocks: list[UnifiedContent] = [TextBlock(text)] if text else []
        return self._message(record, "user", blocks, is_meta=source not in (None, "", "user"))

    def _assistant(self, record: Record, data: JsonObject) -> UnifiedMessage:
        thought = as_str(data.get("reasoningText"))
        if not thought and self._thought is not None:
            thought = self._thought[1]
        self._thought = None
        blocks: list[UnifiedContent] = [ThinkingBlock(thought)] if thought.strip() else []
        text = as_str(data.get("content"))
        if text.strip():
            blocks.append(TextBlock(text))
        for request in dicts(data.get("toolRequests")):
            blocks += self._calls(request, as_str(request.get("name")))
        self.model = opt_str(data.get("model")) or self.model
        output = data.get("outputTokens")
        usage = None if output is None else _output_only(output)
        return self._message(record, "assistant", blocks, usage=usage)

    def _started(self, record: Record, data: JsonObject) -> Iterator[UnifiedMessage]:
        if as_str(data.get("toolCallId")) not in self._asked:
            calls = self._calls(data, as_str(data.get("toolName")))
            yield self._message(record, "assistant", [*calls])

    def _calls(self, data: JsonObject, tool: str) -> list[ToolUseBlock]:
        calls = calls_of(data, tool)
        self._asked[calls[0].id] = len(calls)
        return calls

    def _results(self, data: JsonObject) -> list[UnifiedContent]:
        """The one result of a patch over several files is repeated for each."""
        result = _result(data)
        count = self._asked.get(result.tool_use_id, 1)
        self._asked[result.tool_use_id] = 1
        return [
            replace(result, tool_use_id=numbered(result.tool_use_id, at)) for at in range(count)
        ]

    def _message(
        self,
        record: Record,
        role: Role,
        blocks: list[UnifiedContent],
        *,
        usage: Usage | None = None,
        is_meta: bool = False,
    ) -> UnifiedMessage:
        event = record.value
        agent = opt_str(event.get("agentId"))
        return UnifiedMessage(
            id=opt_str(event.get("id")) or derived_id(self.session_id, record.number),
            role=role,
            content=blocks or "",
            timestamp=self._before,
            tool="copilot",
            model=self.model if role == "assistant" else None,
            usage=usage,
            original=event,
            session_id=self.session_id,
            parent_id=opt_str(event.get("parentId")),
            is_sidechain=agent is not None,
            agent_id=agent,
            is_meta=is_meta,
        )


def _output_only(value: JsonValue) -> Usage:
    count = as_int(value)
    return Usage(output_tokens=count, total_tokens=count, basis="copilot")


def calls_of(data: JsonObject, tool: str) -> list[ToolUseBlock]:
    """The call of a request; a patch is one call for each file, numbered from the second on."""
    given = data.get("arguments")
    args = given if isinstance(given, str) else as_dict(given)
    server, own = opt_str(data.get("mcpServerName")), opt_str(data.get("mcpToolName"))
    calls = [mcp_call(server, own or tool, args)] if server else map_calls(tool, args)
    name = as_str(data.get("toolCallId"))
    return [ToolUseBlock(numbered(name, at), *call) for at, call in enumerate(calls)]


def has_failed(data: JsonObject) -> bool:
    """Whether a call went wrong. Where nothing says how it ended, an error tells."""
    ended = data.get("success")
    return ended is not True if ended is not None else bool(data.get("error"))


def _result(data: JsonObject) -> ToolResultBlock:
    name = as_str(data.get("toolCallId"))
    failed = has_failed(data)
    result, error = as_dict(data.get("result")), as_dict(data.get("error"))
    content = result.get("content")
    if content is None:
        content = error.get("message")
    text = content if isinstance(content, str) else "" if content is None else compact(content)
    media: list[UnifiedContent] = []
    for item in dicts(result.get("contents")):
        if isinstance(item.get("data"), str):
            mime = as_str(item.get("mimeType"), "image/png")
            media.append(media_of(Base64Source(item["data"], mime), mime))
    if not media:
        return ToolResultBlock(name, text, failed)
    spoken: list[UnifiedContent] = [TextBlock(text)] if text.strip() else []
    return ToolResultBlock(name, spoken + media, failed)
