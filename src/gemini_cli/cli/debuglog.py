"""Where our own log lines go: to stderr with --debug, to a file GEMINI_DEBUG_LOG_FILE names.

Without either nobody listens and nothing is formatted. Lines of libraries are left out, and
what our own rooms log never holds a header or a prompt; the file is for its owner alone.
"""

import logging
import os
import sys
from datetime import UTC, datetime
from typing import TextIO

VARIABLE = "GEMINI_DEBUG_LOG_FILE"
_LEVELS = {"INFO": "LOG", "WARNING": "WARN", "CRITICAL": "ERROR"}


class _Lines(logging.Formatter):
    """`[time] [LEVEL] message`, and the trace below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level = _LEVELS.get(record.levelname, record.levelname)
        return f"[{moment.replace('+00:00', 'Z')}] [{level}] {super().format(record)}"


def start_log(file: str | None, *, debug: bool) -> str | None:
    """Begins to listen. Says in a sentence why the file cannot be written, if so."""
    problem = None
    if debug:
        _listen(logging.StreamHandler(sys.stderr))
    if file:
        try:
            _listen(logging.StreamHandler(_opened(file)))
        except (OSError, ValueError) as error:
            problem = f"{VARIABLE}: {file} cannot be written ({error})."
    return problem


def _opened(file: str) -> TextIO:
    """Appends; a new file belongs to its owner alone, and a pipe nobody reads is no file."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(file, flags, 0o600), "a", encoding="utf-8", errors="replace")


def _listen(handler: logging.Handler) -> None:
    handler.setFormatter(_Lines())
    ours = logging.getLogger("gemini_cli")
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    ours.propagate = False
