"""`--output-format json`: one object when everything is over, on stdout.

An error is in that object, and once more as an object on stderr, where scripts written for
older versions look for it.
"""

import msgspec

from gemini_cli.faces.headless.encode import encoded
from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.render import Asides, Ending
from gemini_cli.protocol.events import Envelope, Notice, Problem
from gemini_cli.protocol.jsonvalue import JsonObject


class JsonFormat:
    """Collects, then prints."""

    def __init__(self, out: Out, err: Out, asides: Asides) -> None:
        self._out = out
        self._err = err
        self._asides = asides
        self._warnings: list[str] = []

    def saw(self, envelope: Envelope) -> None:
        """Keeps warnings for the object; they go to stderr as well."""
        if isinstance(envelope.event, Notice) and envelope.event.level == "warning":
            self._warnings.append(envelope.event.text)
        self._asides.saw(envelope)

    def end(self, ending: Ending) -> None:
        """Prints the object."""
        body: JsonObject = {
            "session_id": ending.session_id,
            "response": ending.text,
            "stats": ending.figures.to_json(),
        }
        if ending.problem is not None:
            body["error"] = error_object(ending.problem)
        if self._warnings:
            body["warnings"] = self._warnings
        self._out.write(pretty(body))
        if ending.problem is not None:
            short = {"session_id": ending.session_id, "error": body["error"]}
            self._err.line(pretty(short))


def error_object(problem: Problem) -> JsonObject:
    """`{type, message, code}`: the HTTP status where there is one, else the exit code."""
    code = problem.status if problem.status is not None else problem.exit_code
    return {"type": problem.kind, "message": problem.message, "code": code}


def pretty(body: JsonObject) -> bytes:
    """Two spaces deep, without a last newline."""
    return msgspec.json.format(encoded(body), indent=2)
