"""What an error means for the turn it strikes: its end, and the problem as data.

Errors of the model and of the installation are named; anything else is a bug of ours and
is told as one.
"""

from gemini_cli.engine.loop.over import Over
from gemini_cli.protocol.errors import (
    Blocked,
    ContextTooLong,
    FatalError,
    GeminiError,
    InvalidStream,
    ModelError,
)
from gemini_cli.protocol.events import End, Problem


def ending(error: Exception) -> Over:
    """The end of a turn that this error cannot be kept from."""
    match error:
        case InvalidStream():
            end = End.INVALID_STREAM
        case Blocked():
            end = End.REFUSED
        case ContextTooLong():
            end = End.OVERFLOW
        case _:
            end = End.FAILED
    return Over(end, str(error), problem(error))


def problem(error: Exception) -> Problem:
    """The error as data."""
    match error:
        case ModelError(kind=kind, status=status):
            return Problem(kind, str(error), status)
        case FatalError(exit_code=exit_code):
            return Problem(type(error).__name__, str(error), exit_code=exit_code)
        case GeminiError():
            return Problem(type(error).__name__, str(error))
        case _:
            text = f"Unexpected error: {type(error).__name__}: {error}"
            return Problem("internal_error", f"{text} (run with --debug for the whole of it)")
