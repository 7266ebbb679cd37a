"""`--output-format text`: the model's words as they come, and nothing else on stdout."""

from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.render import Asides, Ending
from gemini_cli.ground.formats.escapes import EscapeFilter
from gemini_cli.protocol.events import Envelope, ModelReplied, Retrying, TextDelta, TurnEnded


class TextFormat:
    """Streams text. Escape sequences are taken out unless `raw`."""

    def __init__(self, out: Out, asides: Asides, *, raw: bool = False) -> None:
        self._out = out
        self._asides = asides
        self._filter = None if raw else EscapeFilter()

    def saw(self, envelope: Envelope) -> None:
        """Prints a delta; closes the line where the model uses tools or begins anew."""
        match envelope.event:
            case TextDelta(text=text, thought=False) if not envelope.agent:
                self._print(self._filter.feed(text) if self._filter else text)
            case ModelReplied() | TurnEnded() if not envelope.agent:
                self._finish_line()
            case event:
                if isinstance(event, Retrying) and not envelope.agent:
                    self._finish_line()
                self._asides.saw(envelope)

    def end(self, ending: Ending) -> None:
        """Ends the last line; an error goes to stderr."""
        self._finish_line()
        if ending.problem is not None:
            self._asides.say(ending.problem.message)

    def _print(self, text: str) -> None:
        self._out.write(text.encode("utf-8", errors="replace"))

    def _finish_line(self) -> None:
        if self._filter:
            self._print(self._filter.end())
        if not self._out.at_line_start:
            self._out.write(b"\n")
