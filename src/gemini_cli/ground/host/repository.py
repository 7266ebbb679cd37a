"""Finds the git repository around a folder by looking at the disk; no program is started.

It understands worktrees and submodules, whose `.git` is a file that points elsewhere.
"""

from pathlib import Path

from gemini_cli.ground.host.ordinary import ordinary

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


def _pointer(path: Path, prefix: str) -> str | None:
    try:
        with ordinary(path) as file:
            text = file.read(POINTER_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    line = text.split("\n", 1)[0].rstrip("\r")
    if not line.startswith(prefix) or "\0" in line:
        return None
    return line[len(prefix) :].strip() or None
