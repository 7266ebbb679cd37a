"""Finds the git repository around a folder by looking at the disk; no program is started.

It understands worktrees and submodules, whose `.git` is a file that points elsewhere.
"""

import os
from pathlib import Path

POINTER_BYTES = 4096


def find_repository(folder: Path) -> Path | None:
    """The nearest ancestor, itself included, that holds a `.git`; None outside of any."""
    for place in (folder, *folder.parents):
        if git_folder(place) is not None:
            return place
    return None


def git_folder(root: Path) -> Path | None:
    """Where git keeps the state of the checkout at `root`; None if `root` is no checkout."""
    dot_git = root / ".git"
    try:
        if dot_git.is_dir():
            return dot_git
        if not dot_git.is_file():
            return None
    except OSError:
        return None
    target = _pointer(dot_git, "gitdir:")
    return None if target is None else root / target


def common_folder(root: Path) -> Path:
    """Where the repository's shared files are, also for a linked worktree."""
    folder = git_folder(root) or root / ".git"
    shared = _pointer(folder / "commondir", "")
    return folder if shared is None else folder / shared


def _without_waiting(path: str, flags: int) -> int:
    """A repository may hold a pipe of that name, which would make us wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _pointer(path: Path, prefix: str) -> str | None:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            text = file.read(POINTER_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    line = text.split("\n", 1)[0].rstrip("\r")
    if not line.startswith(prefix) or "\0" in line:
        return None
    return line[len(prefix) :].strip() or None
