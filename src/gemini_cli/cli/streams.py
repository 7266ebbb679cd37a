"""The three standard streams as this process was given them: open, missing, full or abandoned.

A stream that was closed from outside becomes one that leads nowhere, so that no file or
connection of ours ever gets its number. It writes nothing itself but one last complaint.
"""

import contextlib
import errno
import os
import sys
from io import FileIO


def open_missing() -> None:
    """Gives every missing standard stream a place: the null device."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            _point_at_nothing(fd)
    sys.stdin = sys.stdin or open(0, closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115


def raw(fd: int) -> FileIO:
    """The stream without a buffer, so that nothing is left in one when the process ends."""
    return FileIO(fd, "wb", closefd=False)


def settle(code: int) -> int:
    """The exit code when everything is delivered; a full disk is an error, a lost reader none."""
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            _point_at_nothing(fd)
            if fd == 1 and isinstance(error, OSError):
                code = code or _lost(error)
    return code


def put(text: str) -> int:
    """Prints to stdout; the exit code."""
    try:
        print(text, end="", flush=True)
    except OSError as error:
        _point_at_nothing(1)
        return _lost(error)
    return 0


def _lost(error: OSError) -> int:
    """The exit code after stdout failed, told on stderr unless its reader just left."""
    if reader_left(error):
        return 0
    with contextlib.suppress(OSError, ValueError):
        print(undelivered(error), file=sys.stderr)
    return 1


def reader_left(error: OSError) -> bool:
    """Whether the other end of the pipe is gone."""
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == errno.EINVAL)


def undelivered(error: OSError) -> str:
    """The sentence for output that could not be written."""
    return f"stdout cannot be written: {error.strerror or error}. Send the output elsewhere"


def _point_at_nothing(fd: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing != fd:
        os.dup2(nothing, fd)
        os.close(nothing)
