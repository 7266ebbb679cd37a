"""The only place that turns an error into an exit code, and that shows where one came from."""

import os
import sys
import traceback

from gemini_cli.protocol.events import Problem


def code_of_problem(problem: Problem | None) -> int:
    """The exit code for the error a run ended with, or for none."""
    return 0 if problem is None else problem.exit_code


def trace(error: BaseException) -> None:
    """Where a fault of ours arose, on stderr, for those who asked with --debug."""
    traceback.print_exception(error, file=sys.stderr)


def leave_quietly() -> None:
    """Our reader is gone: point stdout at nothing, so that the interpreter's flush succeeds."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
