"""Envelopes to the JSON lines of `--output-format stream-json`.

Only the main agent is told of; thoughts are not. The `result` line is made by `result`,
because it needs the figures of the whole run.
"""

from gemini_cli.faces.headless.encode import encoded
from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.outcome import shown
from gemini_cli.faces.headless.plain import display_text
from gemini_cli.faces.headless.render import Asides, Ending
from gemini_cli.protocol.events import (
    Envelope,
    Failed,
    ModelReplied,
    Notice,
    Problem,
    SessionOpened,
    TextDelta,
    ToolFinished,
    TurnStarted,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import calls_of, text_of


class StreamJsonFormat:
    """Prints each line as it becomes known."""

    def __init__(self, out: Out, asides: Asides) -> None:
        self._out = out
        self._asides = asides

    def saw(self, envelope: Envelope) -> None:
        """Prints the lines of this event; asides go to stderr as well."""
        for item in translate(envelope):
            self._out.line(encoded(item))
        self._asides.saw(envelope)

    def end(self, ending: Ending) -> None:
        """Prints the `result`, always the last line."""
        stats = ending.figures.to_stream(ending.duration_ms)
        self._out.line(encoded(result(ending.at, stats, ending.problem)))
        if ending.problem is not None:
            self._asides.say(ending.problem.message)


def translate(envelope: Envelope) -> list[JsonObject]:
    """The lines one event becomes."""
    if envelope.agent:
        return []
    at = envelope.at
    match envelope.event:
        case SessionOpened(session_id=session_id, model=model):
            return [_item("init", at, session_id=session_id, model=model)]
        case TurnStarted(message=message):
            words = message.display if message.display is not None else text_of(message.parts)
            return [_item("message", at, role="user", content=words)]
        case TextDelta(text=text, thought=False):
            return [_item("message", at, role="assistant", content=text, delta=True)]
        case ModelReplied(message=message):
            return [
                _item("tool_use", at, tool_name=call.name, tool_id=call.id, parameters=call.args)
                for call in calls_of(message.parts)
            ]
        case ToolFinished() as finished:
            return [_tool_result(finished, at)]
        case Notice(level=level, text=text) if level != "info":
            return [_item("error", at, severity=level, message=text)]
        case Failed(problem=problem):
            return [_item("error", at, severity="error", message=shown(problem).message)]
        case _:
            return []


def result(at: str, stats: JsonObject, problem: Problem | None) -> JsonObject:
    """The last line of every run."""
    if problem is None:
        return _item("result", at, status="success", stats=stats)
    error: JsonObject = {"type": problem.kind, "message": problem.message}
    if problem.status is not None:
        error["code"] = problem.status
    return _item("result", at, status="error", error=error, stats=stats)


def _tool_result(finished: ToolFinished, at: str) -> JsonObject:
    """`output` is always there: readers print it, whatever became of the call."""
    tool_id, output = finished.call.id, display_text(finished.display)
    if finished.status == "success":
        return _item("tool_result", at, tool_id=tool_id, status="success", output=output)
    told = finished.error or "cancelled"
    kind = finished.error_type or ("cancelled" if finished.status == "cancelled" else "unknown")
    error: JsonObject = {"type": kind, "message": told}
    return _item(
        "tool_result", at, tool_id=tool_id, status="error", output=output or told, error=error
    )


def _item(kind: str, at: str, **fields: object) -> JsonObject:
    return {"type": kind, "timestamp": at, **fields}
