"""The only place that turns an error into an exit code and a message for the terminal."""

import os
import sys
import traceback

from gemini_cli.protocol.errors import FatalError
from gemini_cli.protocol.events import Problem

INTERRUPTED = 130


def code_of(error: BaseException) -> int:
    """The exit code for an exception."""
    if isinstance(error, FatalError):
        return error.exit_code
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def code_of_problem(problem: Problem | None) -> int:
    """The exit code for the error a run ended with, or for none."""
    return 0 if problem is None else problem.exit_code


def say(error: BaseException, *, debug: bool, color: bool) -> None:
    """Tells the error on stderr in a sentence; the trace only for those who asked."""
    if debug:
        traceback.print_exception(error, file=sys.stderr)
        return
    text = str(error) or type(error).__name__
    if not isinstance(error, FatalError):
        text = f"{type(error).__name__}: {text} (a bug; run again with --debug for the details)"
    print(f"\x1b[31m{text}\x1b[0m" if color else text, file=sys.stderr)


def leave_quietly() -> None:
    """Our reader is gone: point stdout at nothing, so that the interpreter's flush succeeds."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
