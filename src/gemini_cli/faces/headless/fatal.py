"""Reports an error that came before there was a session, in the format that was asked for.

So a script that reads `json` or `stream-json` always finds its one object or its `result`.
"""

from gemini_cli.faces.headless.json import JsonFormat
from gemini_cli.faces.headless.out import Out
from gemini_cli.faces.headless.render import Asides, Ending, Figures, Format
from gemini_cli.faces.headless.stream_json import StreamJsonFormat
from gemini_cli.faces.headless.text import TextFormat
from gemini_cli.protocol.events import Problem
from gemini_cli.protocol.host import Clock


def make_format(name: str, out: Out, err: Out, *, raw: bool = False, debug: bool = False) -> Format:
    """The output format of this name; anything unknown is text."""
    asides = Asides(err, debug=debug)
    if name == "json":
        return JsonFormat(out, err, asides)
    if name == "stream-json":
        return StreamJsonFormat(out, asides)
    return TextFormat(out, asides, raw=raw)


def report(problem: Problem, form: Format, figures: Figures, clock: Clock, started: float) -> None:
    """Prints the error as the whole outcome of a run that began at `started`."""
    took = int((clock.monotonic() - started) * 1000)
    form.end(Ending(clock.now(), "", "", figures, took, problem))
