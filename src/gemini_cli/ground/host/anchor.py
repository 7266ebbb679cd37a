"""Holds the folder of a path open, so that what was checked is what gets touched.

The way down is walked one folder at a time without following symbolic links; a link swapped
in after the workspace check ends the walk. Where the platform lacks folder handles (Windows)
it falls back to plain paths. It refuses relative paths.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

HANDLES = {os.open, os.mkdir, os.stat, os.unlink} <= os.supports_dir_fd
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NO_BLOCK: int = getattr(os, "O_NONBLOCK", 0)
BINARY: int = getattr(os, "O_BINARY", 0)
FOLDER: int = getattr(os, "O_DIRECTORY", 0) | NO_FOLLOW | getattr(os, "O_PATH", 0)


class Anchor(msgspec.Struct, frozen=True):
    """A name inside a folder that is held open; `fd` is None where that is impossible."""

    path: Path
    fd: int | None

    @property
    def name(self) -> str:
        """What to hand to the `os` functions together with `fd`."""
        return str(self.path) if self.fd is None else self.path.name

    def sibling(self, name: str) -> "Anchor":
        """Another name in the same folder."""
        return Anchor(self.path.with_name(name), self.fd)

    def open(self, flags: int, mode: int = 0o666) -> int:
        """Opens the name itself; a symbolic link there is an error."""
        return os.open(self.name, flags | NO_FOLLOW | NO_BLOCK | BINARY, mode, dir_fd=self.fd)

    def look(self) -> os.stat_result | None:
        """What stands at the name, links not followed; None where there is nothing."""
        try:
            return os.stat(self.name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def unlink(self) -> None:
        """Removes the name."""
        os.unlink(self.name, dir_fd=self.fd)

    def become(self, target: "Anchor") -> None:
        """Takes the place of `target` in one step."""
        os.replace(self.name, target.name, src_dir_fd=self.fd, dst_dir_fd=target.fd)


@contextmanager
def anchored(path: Path, *, make: bool = False, mode: int = 0o777) -> Iterator[Anchor]:
    """Holds `path`'s folder open; `make` creates the folders that are missing, with `mode`."""
    if not path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{path} must be absolute and without '..'")
    if not HANDLES:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield Anchor(path, None)
        return
    fd = _descend(path.parent, make, mode)
    try:
        yield Anchor(path, fd)
    finally:
        os.close(fd)


def _descend(folder: Path, make: bool, mode: int) -> int:
    fd = os.open(folder.anchor, FOLDER)
    for part in folder.parts[1:]:
        try:
            deeper = _step(fd, part, make, mode)
        finally:
            os.close(fd)
        fd = deeper
    return fd


def _step(fd: int, part: str, make: bool, mode: int) -> int:
    try:
        return os.open(part, FOLDER, dir_fd=fd)
    except FileNotFoundError:
        if not make:
            raise
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(part, dir_fd=fd, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a symbolic link is in the way") from None
        raise
    with suppress(FileExistsError):
        os.mkdir(part, mode, dir_fd=fd)
    return os.open(part, FOLDER, dir_fd=fd)
