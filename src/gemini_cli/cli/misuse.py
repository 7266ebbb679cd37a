"""The one object, or the `result`, that a script reads when there was no run to speak of.

A flag cannot be meant, or a signal came before there was anything to end. It writes to stdout
only; the message and the help go to stderr as for everybody else.
"""

import io

from gemini_cli.cli import streams
from gemini_cli.engine.sessions import Stats
from gemini_cli.faces.headless import fatal, outcome
from gemini_cli.faces.headless.out import Out
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.protocol.errors import UsageError
from gemini_cli.protocol.events import Problem

DRAIN = 0.25
"""Seconds a slow reader gets after a signal."""


def tell(error: UsageError, form: str) -> None:
    """Prints the error in the output format of this name."""
    _tell(outcome.of_error(error), form, None)


def tell_interrupted(number: int, form: str | None) -> None:
    """Prints that a signal ended the start, where somebody reads JSON."""
    if form in ("json", "stream-json"):
        _tell(outcome.of_signal(number), form, DRAIN)


def _tell(problem: Problem, form: str, seconds: float | None) -> None:
    out, clock = Out(streams.raw(1)), SystemClock()
    quiet = Out(io.BytesIO())
    shape = fatal.make_format(form, out, quiet)
    fatal.report(problem, shape, Stats(), clock, clock.monotonic())
    out.close(seconds)
