"""What the end of a turn means for a script: an error or none, and the exit code with it."""

import signal

from gemini_cli.protocol.errors import FatalError, GeminiError, ModelError
from gemini_cli.protocol.events import End, Problem, TurnEnded

_NOT_SAID_BY_THE_SERVICE = "INVALID_STREAM"
_WORDS = {
    signal.SIGINT: "Cancelled by Ctrl+C (SIGINT)",
    signal.SIGTERM: "Stopped by SIGTERM",
    getattr(signal, "SIGHUP", signal.SIGTERM): "Stopped because the terminal closed (SIGHUP)",
}


def of_turn(ended: TurnEnded, stopped_by: int | None) -> Problem | None:
    """The error a turn ends the program with; None for success."""
    if stopped_by is not None:
        return of_signal(stopped_by)
    match ended.end:
        case End.FAILED | End.INVALID_STREAM | End.REFUSED | End.OVERFLOW:
            return shown(ended.problem or Problem(ended.end.value, "The turn failed"))
        case End.CANCELLED:
            return of_signal(signal.SIGINT)
        case End.MAX_STEPS:
            return ended.problem or Problem(
                "turn_limit",
                "The limit of model requests is reached; raise model.maxSessionTurns "
                "in settings.json or give a smaller task",
                exit_code=53,
            )
        case _:
            return None


def told(ended: TurnEnded) -> str:
    """The warning for a turn that ended early without failing; "" for any other end."""
    why = ended.problem.message if ended.problem is not None else ""
    match ended.end:
        case End.LOOP:
            return f"Loop detected, the run ends here. {why}".rstrip()
        case End.STOPPED:
            return f"Agent execution stopped by hook: {why or 'no reason given'}"
        case End.BLOCKED:
            return f"Agent execution blocked: {why or 'no reason given'}"
        case _:
            return ""


def of_signal(number: int) -> Problem:
    """The error for a signal; the exit code is the shell's for it."""
    return Problem("cancelled", _WORDS.get(number, f"signal {number}"), exit_code=128 + number)


def of_error(error: BaseException) -> Problem:
    """The error for an exception that nothing below turned into an event."""
    kind = type(error).__name__
    if isinstance(error, FatalError):
        return Problem(kind, str(error), exit_code=error.exit_code)
    if isinstance(error, ModelError):
        return shown(Problem(error.kind, str(error), error.status))
    if isinstance(error, GeminiError):
        return Problem(kind, str(error))
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else "The system refused: "
        return Problem("system_error", f"{place}{error.strerror}")
    text = f"{kind}: {error}" if str(error) else kind
    return Problem("internal_error", f"{text} (a bug; run again with --debug for the details)")


def shown(problem: Problem) -> Problem:
    """Marks what came from the model service as such; scripts look for the words."""
    if problem.kind not in _api_kinds(ModelError) or problem.message.startswith("[API Error"):
        return problem
    told = problem.status is None or str(problem.status) in problem.message
    status = "" if told else f" (Status: {problem.status})"
    text = f"[API Error: {problem.message}{status}]"
    return Problem(problem.kind, text, problem.status, problem.exit_code)


def _api_kinds(kind: type[ModelError]) -> frozenset[str]:
    """The kinds of problem that come from the model service."""
    below = (_api_kinds(each) for each in kind.__subclasses__())
    return frozenset({kind.kind}.union(*below)) - {_NOT_SAID_BY_THE_SERVICE}
