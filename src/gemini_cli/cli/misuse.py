"""The one object, or the `result`, that a script reads when another flag cannot be meant.

It writes to stdout only; the message and the help go to stderr as for everybody else.
"""

import io

from gemini_cli.cli import streams
from gemini_cli.engine.sessions import Stats
from gemini_cli.faces.headless import fatal, outcome
from gemini_cli.faces.headless.out import Out
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.protocol.errors import UsageError


def tell(error: UsageError, form: str) -> None:
    """Prints the error in the output format of this name."""
    out, clock = Out(streams.raw(1)), SystemClock()
    quiet = Out(io.BytesIO())
    figures, started = Stats(), clock.monotonic()
    fatal.report(
        outcome.of_error(error), fatal.make_format(form, out, quiet), figures, clock, started
    )
    out.close()
