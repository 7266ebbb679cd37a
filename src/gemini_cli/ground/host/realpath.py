"""Finds the real path behind a path, even if its end does not exist yet.

Links are followed wherever they are, dangling ones too, so that a file about to be created
is judged by where it would land. A circle of links raises instead of being returned.
"""

import errno
import os
import stat
from pathlib import Path

MAX_LINKS = 40


def real_path(path: str) -> Path:
    """The real path of an absolute `path`; raises `OSError(ELOOP)` for a circle."""
    if os.name == "nt":
        return Path(os.path.realpath(path))
    done = Path("/")
    todo = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            done = done.parent
            continue
        here = done / part
        target = _link_target(here)
        if target is None:
            done = here
            continue
        links += 1
        if links > MAX_LINKS:
            raise OSError(errno.ELOOP, "too many symbolic links", path)
        if target.startswith("/"):
            done = Path("/")
        todo += [step for step in reversed(target.split("/")) if step not in ("", ".")]
    return done


def _link_target(path: Path) -> str | None:
    try:
        if not stat.S_ISLNK(path.lstat().st_mode):
            return None
        return str(path.readlink())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
