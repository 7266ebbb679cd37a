"""The one place that starts a program: own session, checked folder, errors that name the command.

It hands over exactly the descriptors it is given. Who starts a child is responsible for it.
"""

import asyncio
import contextlib
import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gemini_cli.protocol.errors import ToolProblem

KIND = "shell_execute_error"


async def spawn(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
) -> asyncio.subprocess.Process:
    """Starts `argv` as the leader of a new session; `ToolProblem` says why it could not."""
    if not argv:
        raise ToolProblem("There is no command to start.", KIND)
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except (OSError, ValueError) as error:
        raise ToolProblem(
            f"Cannot start {argv[0]!r}: {_reason(error, argv, cwd)}.", KIND
        ) from error


def _reason(error: OSError | ValueError, argv: Sequence[str], cwd: Path) -> str:
    if isinstance(error, ValueError):
        return "the command or its environment holds a NUL character"
    if not cwd.is_dir():
        return f"its working folder {cwd} does not exist"
    if error.errno == errno.ENOENT:
        return "there is no such program; check the spelling and PATH"
    if error.errno == errno.EACCES:
        return "it may not be executed; check its mode"
    if error.errno == errno.ENOEXEC:
        return "it is neither a program nor a script that says what runs it"
    if error.errno == errno.E2BIG:
        return "its arguments and environment are too long"
    return error.strerror or str(error)


def closing(
    pair: tuple[int, int], first: contextlib.ExitStack, second: contextlib.ExitStack
) -> tuple[int, int]:
    """A pipe whose reading end closes with `first` and whose writing end with `second`."""
    first.callback(os.close, pair[0])
    second.callback(os.close, pair[1])
    return pair
