"""Starts a program on a terminal of its own, so that it behaves as if a person watched.

The child leads a session, the terminal is its controlling one, and its window has a size.
Where the platform has no such terminals it says so instead of pretending.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gemini_cli.ground.host.spawn import KIND, closing, find_program, spawn
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import PtySize

if sys.platform != "win32":
    import fcntl
    import struct
    import termios

AVAILABLE = sys.platform != "win32"

# A session leader that opens a terminal by name gets it as its controlling one. Doing that in
# a shell that then becomes the program avoids running Python between fork and exec.
TAKE_TERMINAL = 'exec 0<>"$0" 1>&0 2>&0; exec "$@"'


async def spawn_on_terminal(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], size: PtySize
) -> tuple[asyncio.subprocess.Process, int]:
    """The child and our end of its terminal."""
    if not AVAILABLE:
        raise ToolProblem("This platform has no pseudo terminals; run without one.", KIND)
    if not argv:
        raise ToolProblem("There is no command to start.", KIND)
    program = _program(cwd, argv[0], env)
    if program is None:
        raise ToolProblem(
            f"Cannot start {argv[0]!r}: there is no such program; check the spelling and PATH.",
            KIND,
        )
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        try:
            master, slave = closing(os.openpty(), ours, theirs)
        except OSError as error:
            raise ToolProblem(f"Cannot open a pseudo terminal: {error.strerror}.", KIND) from error
        resize(slave, size)
        command = ("/bin/sh", "-c", TAKE_TERMINAL, os.ttyname(slave), program, *argv[1:])
        child = await spawn(command, cwd, env, stdin=slave, stdout=slave, stderr=slave)
        ours.pop_all()
    return child, master


def _program(cwd: Path, name: str, env: Mapping[str, str]) -> str | None:
    """A name with a slash is meant from the child's folder, not from ours."""
    if "/" not in name:
        return find_program(name, env)
    path = cwd / name
    return str(path) if path.is_file() and os.access(path, os.X_OK) else None


def resize(fd: int, size: PtySize) -> None:
    """Sets the window; the kernel tells the program in front."""
    if sys.platform != "win32":
        window = struct.pack("HHHH", size.rows, size.columns, 0, 0)
        fcntl.ioctl(fd, termios.TIOCSWINSZ, window)
