"""The shape every output format has, and what they share: figures, stderr lines.

A format sees each envelope once, in order, and is told the end once.
"""

from typing import Protocol

from gemini_cli.faces.headless.out import Out
from gemini_cli.ground.formats.escapes import without_escapes
from gemini_cli.protocol.events import Envelope, Notice, Problem, Retrying, ToolFinished
from gemini_cli.protocol.jsonvalue import JsonObject

_LONGEST_NAME = 100


class Figures(Protocol):
    """Where the numbers of the run come from; `engine/sessions` keeps them."""

    def to_json(self) -> JsonObject: ...

    def to_stream(self, duration_ms: int) -> JsonObject: ...


class Ending:
    """Everything an output format needs to close."""

    def __init__(
        self,
        at: str,
        session_id: str,
        text: str,
        figures: Figures,
        duration_ms: int,
        problem: Problem | None,
    ) -> None:
        self.at = at
        self.session_id = session_id
        self.text = text
        self.figures = figures
        self.duration_ms = duration_ms
        self.problem = problem


class Format(Protocol):
    """One way to print a run."""

    def saw(self, envelope: Envelope) -> None:
        """Prints what this event is worth at once."""
        ...

    def end(self, ending: Ending) -> None:
        """Prints what is left."""
        ...


class Asides:
    """Lines for stderr: notices, failed tools, repeated requests, errors."""

    def __init__(self, err: Out, *, debug: bool = False) -> None:
        self._err = err
        self._debug = debug
        self._retried: str | None = None

    def saw(self, envelope: Envelope) -> None:
        """Says what a person at the terminal should know."""
        match envelope.event:
            case Notice(level=level, text=text) if level != "info" or self._debug:
                self.say(f"[{level.upper()}] {text}")
            case ToolFinished(status="error", error=error) as finished if error:
                if not envelope.agent:
                    self.say(f"Error executing tool {_on_a_line(finished.call.name)}: {error}")
            case Retrying() as retrying:
                self.say(f"[WARNING] {_repeated(retrying, self._retried)}")
                self._retried = retrying.error
            case _:
                pass

    def say(self, text: str) -> None:
        """One message, without anything that could drive the terminal."""
        clean = without_escapes(text).rstrip("\n")
        self._err.line(clean.encode("utf-8", errors="replace"))


def _on_a_line(name: str) -> str:
    """A name as a model made it up, so that it cannot pass for lines of ours."""
    return " ".join(name[:_LONGEST_NAME].split()) + ("…" if len(name) > _LONGEST_NAME else "")


def _repeated(retrying: Retrying, before: str | None) -> str:
    """Why nothing seems to happen, and for how long; the same reason is not told twice."""
    if not retrying.delay_ms:
        return retrying.error
    seconds = max(1, round(retrying.delay_ms / 1000))
    number = f"attempt {retrying.attempt + 1} of {retrying.max_attempts}"
    why = "The same again." if retrying.error == before else retrying.error
    return f"{why} Asking again in {seconds} s ({number})."
