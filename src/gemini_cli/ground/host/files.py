"""Files of this machine, behind the `Files` port: whole reads, one-step writes.

It takes paths that `Workspace.resolve` has made real and refuses links put in their way
afterwards. Devices, pipes and sockets are refused too, because they can block for ever.
"""

import asyncio
import errno
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from gemini_cli.ground.host.anchor import Anchor, anchored
from gemini_cli.ground.host.problems import problem_of
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import FileStat

T = TypeVar("T")
CHUNK = 1 << 20
PRIVATE = 0o600
FULL = (errno.ENOSPC, errno.EDQUOT)
PROTECTED = (errno.EACCES, errno.EPERM, errno.EROFS)


class LocalFiles:
    """The `Files` port over the local disk; blocking work happens in a thread.

    `links="follow"` resolves links in the given path first. It is for our own files under
    the home folder, never for a path that a model named. What is made below `private` is for
    its owner only.
    """

    def __init__(
        self, *, links: Literal["refuse", "follow"] = "refuse", private: Path | None = None
    ) -> None:
        self._follow = links == "follow"
        self._private = private

    async def read(self, path: Path, *, limit: int | None = None) -> bytes:
        """The bytes of a regular file; at most `limit` of them."""
        return await self._run("read", path, "read_content_failure", lambda p: _read(p, limit))

    async def write(self, path: Path, data: bytes) -> None:
        """Replaces a file in one step, keeping its mode; makes missing folders."""
        await self._run(
            "write", path, "file_write_failure", lambda p: _write(p, data, self._mode(p))
        )

    async def stat(self, path: Path) -> FileStat | None:
        """None where there is nothing."""
        return await self._run("look at", path, "read_content_failure", _stat)

    async def list(self, path: Path) -> Sequence[tuple[str, FileStat]]:
        """Entries of a folder by name, links followed for their kind."""
        return await self._run("list", path, "ls_execution_error", _list)

    async def delete(self, path: Path) -> None:
        """Removes a file; a symbolic link is removed, not what it points to."""
        await self._run("delete", path, "file_write_failure", _delete)

    def _mode(self, path: Path) -> int | None:
        private = self._private is not None and path.is_relative_to(self._private)
        return PRIVATE if private else None

    async def _run(self, action: str, path: Path, otherwise: str, work: Callable[[Path], T]) -> T:
        def guarded() -> T:
            try:
                return work(Path(os.path.realpath(path)) if self._follow else path)
            except OSError as error:
                raise problem_of(error, action, path, otherwise) from error
            except ValueError as error:
                raise ToolProblem(f"Cannot {action} {path!s}: {error}.", otherwise) from error

        return await asyncio.to_thread(guarded)


def _read(path: Path, limit: int | None) -> bytes:
    with anchored(path) as at:
        fd = at.open(os.O_RDONLY)
    with os.fdopen(fd, "rb", buffering=0) as file:
        _must_be_regular(os.fstat(fd), path, "read_content_failure")
        if limit is None:
            return file.readall()
        parts: list[bytes] = []
        while limit > 0 and (part := file.read(min(limit, CHUNK))):
            parts.append(part)
            limit -= len(part)
        return b"".join(parts)


def _must_be_regular(found: os.stat_result, path: Path, kind: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "is a folder")
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "is a symbolic link")
    if not stat.S_ISREG(found.st_mode):
        raise ToolProblem(f"{path} is a device, pipe or socket; name a regular file.", kind)


def _must_be_writable(at: Anchor) -> None:
    """A file that is protected stays as it is, although its folder would let us replace it."""
    try:
        os.close(at.open(os.O_WRONLY))
    except OSError as error:
        if error.errno in PROTECTED:
            raise


def write_file(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """The blocking form of `LocalFiles.write`; `mode` is for a file that must stay private."""
    _write(path, data, mode)


def _write(path: Path, data: bytes, mode: int | None = None) -> None:
    with anchored(path, make=True, mode=0o777 if mode is None else 0o700) as at:
        old = at.look()
        if old is not None:
            _must_be_regular(old, path, "file_write_failure")
            _must_be_writable(at)
        new = at.sibling(f".gemini-{os.urandom(8).hex()}.tmp")
        try:
            fd = new.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, _first_mode(old, mode))
        except OSError as error:
            if old is None or error.errno in FULL:
                raise
            _write_in_place(at, data)
            return
        try:
            kept = _fill(fd, data, old, mode)
            if kept:
                new.become(at)
        except BaseException:
            new.unlink()
            raise
        if not kept:
            new.unlink()
            _write_in_place(at, data)


def _first_mode(old: os.stat_result | None, mode: int | None) -> int:
    # A new file gets what the umask leaves; a replacement starts private and is widened later.
    if mode is not None:
        return mode
    return 0o666 if old is None else 0o600


def _fill(fd: int, data: bytes, old: os.stat_result | None, mode: int | None) -> bool:
    """Writes all of it; False if the old owner cannot be kept by replacing the file."""
    with os.fdopen(fd, "wb", buffering=0) as file:
        _write_all(file.fileno(), data)
        if hasattr(os, "fchmod") and mode is not None:
            os.fchmod(fd, mode)
        elif hasattr(os, "fchmod") and old is not None:
            mine = os.fstat(fd)
            if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
                try:
                    os.fchown(fd, old.st_uid, old.st_gid)
                except PermissionError:
                    return False
            os.fchmod(fd, stat.S_IMODE(old.st_mode) & 0o777)
    return True


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _write_in_place(at: Anchor, data: bytes) -> None:
    """For a file whose folder or owner does not let us replace it; restores it on failure."""
    fd = at.open(os.O_RDWR)
    with os.fdopen(fd, "rb", buffering=0) as file:
        _must_be_regular(os.fstat(fd), at.path, "file_write_failure")
        before = file.readall()
        try:
            _overwrite(fd, data)
        except OSError:
            _overwrite(fd, before)
            raise


def _overwrite(fd: int, data: bytes) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    _write_all(fd, data)
    os.ftruncate(fd, len(data))


def _stat(path: Path) -> FileStat | None:
    try:
        return _describe(path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return _dangling(path)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return _dangling(path)


def _dangling(path: Path) -> FileStat | None:
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileStat("other", found.st_size, found.st_mtime, stat.S_IMODE(found.st_mode))


def _describe(found: os.stat_result) -> FileStat:
    kind: Literal["file", "dir", "other"] = "other"
    if stat.S_ISDIR(found.st_mode):
        kind = "dir"
    elif stat.S_ISREG(found.st_mode):
        kind = "file"
    return FileStat(kind, found.st_size, found.st_mtime, stat.S_IMODE(found.st_mode))


def _list(path: Path) -> list[tuple[str, FileStat]]:
    if path == Path(path.anchor):
        return _entries(path)
    with anchored(path) as at:
        if at.fd is None:
            return _entries(path)
        fd = at.open(os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        return _entries(fd)
    finally:
        os.close(fd)


def _entries(folder: Path | int) -> list[tuple[str, FileStat]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                described = _describe(entry.stat())
            except OSError:
                described = _broken(entry)
            found.append((entry.name, described))
    return sorted(found, key=lambda item: item[0])


def _broken(entry: "os.DirEntry[str]") -> FileStat:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return FileStat("other", 0, 0.0)
    return FileStat("other", found.st_size, found.st_mtime, stat.S_IMODE(found.st_mode))


def _delete(path: Path) -> None:
    with anchored(path) as at:
        found = at.look()
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise OSError(errno.EISDIR, "is a folder")
        at.unlink()
