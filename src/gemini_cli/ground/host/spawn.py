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
            executable=_executable(argv[0], env),
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


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """Where PATH finds a program. Entries that are no whole paths do not count: in a folder
    somebody else made, they would find that folder's own `git`."""
    folders = [p for p in env.get("PATH", os.defpath).split(os.pathsep) if Path(p).is_absolute()]
    endings = ["", *env.get("PATHEXT", "").split(os.pathsep)] if os.name == "nt" else [""]
    places = (Path(folder, name + ending) for folder in folders for ending in endings)
    return next((str(p) for p in places if p.is_file() and os.access(p, os.X_OK)), None)


def _executable(name: str, env: Mapping[str, str]) -> str:
    if Path(name).name != name or "\0" in name:
        return name
    found = find_program(name, env)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return found


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
