"""Walks a tree for search tools, within limits, and finds an `rg` that may be trusted.

Ignored files and links that lead out are left out; links to folders are not entered. It reads
names only; looking into files is the tool's business.
"""

import asyncio
import os
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from gemini_cli.ground.host.ignore import IgnoreRules

ALWAYS_LEFT_OUT = frozenset({"node_modules", ".git", "bower_components", ".svn", ".hg"})
TRUSTED_FOLDERS = (
    "/usr/bin", "/bin", "/usr/local/bin", "/usr/local/Cellar", "/usr/lib", "/opt/homebrew",
    "/opt/local/bin", "/home/linuxbrew/.linuxbrew/Cellar", "/nix/store", "/snap",
    "C:\\Program Files",
)  # fmt: skip


class Limits(msgspec.Struct, frozen=True):
    """When to stop: after so many files or seconds."""

    files: int = 20_000
    seconds: float = 30.0


class Walk(msgspec.Struct, frozen=True):
    """Files found, how many entries the ignore rules left out, and why it ended early."""

    files: tuple[Path, ...]
    ignored: int = 0
    cut: Literal["files", "seconds"] | None = None


async def find_files(
    root: Path,
    rules: IgnoreRules | None,
    *,
    limits: Limits = Limits(),  # noqa: B008  (frozen, so it can be shared)
    left_out: Iterable[str] = ALWAYS_LEFT_OUT,
) -> Walk:
    """The files below `root`, folder by folder, each sorted by name; cancelling stops the walk."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(walk, root, rules, limits, frozenset(left_out), stop)
    finally:
        stop.set()


def walk(
    root: Path,
    rules: IgnoreRules | None,
    limits: Limits,
    left_out: frozenset[str],
    stop: threading.Event,
) -> Walk:
    """The blocking form of `find_files`."""
    end = time.monotonic() + limits.seconds
    found: list[Path] = []
    ignored = 0
    todo = [root]
    while todo:
        folders = []
        for entry in _entries(todo.pop()):
            if stop.is_set() or time.monotonic() > end:
                return Walk(tuple(found), ignored, "seconds")
            is_dir = entry.is_dir(follow_symlinks=False)
            if is_dir and entry.name in left_out:
                continue
            path = Path(entry.path)
            if _is_ignored(rules, path, entry, is_dir):
                ignored += 1
            elif is_dir:
                folders.append(path)
            elif _leads_to_file(entry):
                if len(found) >= limits.files:
                    return Walk(tuple(found), ignored, "files")
                found.append(path)
        todo += reversed(folders)
    return Walk(tuple(found), ignored)


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """Entries by name; a folder that cannot be read has none."""
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return


def _is_ignored(
    rules: IgnoreRules | None, path: Path, entry: "os.DirEntry[str]", is_dir: bool
) -> bool:
    if rules is None:
        return False
    return rules.ignores_entry(path) if entry.is_symlink() else rules.ignores(path, is_dir=is_dir)


def _leads_to_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def find_rg(cwd: Path, path: str, *, beside: Path = Path(sys.executable)) -> Path | None:
    """A ripgrep that a repository cannot have planted: installed with us, or by the system.

    `path` is the search path of the environment. Nothing inside `cwd` is ever taken.
    """
    name = "rg.exe" if os.name == "nt" else "rg"
    here = Path(os.path.realpath(cwd))
    ours = _program(beside.parent / name)
    if ours is not None and not ours.is_relative_to(here):
        return ours
    for folder in path.split(os.pathsep):
        if not Path(folder).is_absolute():
            continue
        real = _program(Path(folder) / name)
        if real is None or real.is_relative_to(here):
            continue
        if any(real.is_relative_to(trusted) for trusted in TRUSTED_FOLDERS):
            return real
    return None


def _program(path: Path) -> Path | None:
    """The real path of an executable file that not just anybody may change."""
    real = Path(os.path.realpath(path))
    try:
        found = real.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or not os.access(real, os.X_OK):
        return None
    return None if os.name != "nt" and found.st_mode & stat.S_IWOTH else real
