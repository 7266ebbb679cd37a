"""Reading and replacing small files with care: locked, atomic, links followed, modes kept.

It refuses what is no ordinary file, so that a pipe cannot make it wait, and what is too
large to be a settings file. It knows nothing of what the files mean.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from gemini_cli.ground.host.ordinary import NotOrdinary, ordinary

LIMIT = 2 * 1024 * 1024
STALE_AFTER = 10.0


class Unreadable(OSError):
    """There is something at the path, but no text we can read. `str()` says why."""


def read_text(path: Path, limit: int = LIMIT) -> str | None:
    """The file's text; None where there is no file. Raises Unreadable for anything else.

    A file in a folder that may not be looked into counts as absent.
    """
    try:
        with ordinary(path) as stream:
            data = stream.read(limit + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except NotOrdinary as error:
        raise Unreadable("is not an ordinary file") from error
    except OSError as error:
        if isinstance(error, PermissionError) and not _visible(path):
            return None
        raise Unreadable(f"cannot be opened ({error.strerror})") from error
    if len(data) > limit:
        raise Unreadable(f"is larger than {limit // 1024 // 1024} MB")
    return _decoded(data)


def _visible(path: Path) -> bool:
    try:
        path.lstat()
    except OSError:
        return False
    return True


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable("is encoded as UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"is not UTF-8 text (line {line}); save it as UTF-8") from error


def write_text(path: Path, text: str, mode: int = 0o600) -> None:
    """Replaces the file in one step. A link stays a link; an existing file keeps its mode.

    A link that leads nowhere is refused: it could make a file where nobody expects one.
    """
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.exists():
        raise Unreadable(f"is a link to {target}, which does not exist")
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(target.stat().st_mode)
    temp = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(temp, flags | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8", "replace"))
            stream.flush()
            os.fsync(stream.fileno())
        temp.chmod(mode)
        _rename(temp, target)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise


def make_private(folder: Path) -> None:
    """Makes the folder and those above it that are missing, for the owner only."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def _rename(temp: Path, target: Path) -> None:
    """Rename, repeated where another program (a virus scanner, say) holds the file."""
    for attempt in range(5):
        try:
            temp.replace(target)
            return
        except PermissionError:
            if attempt == 4 or os.name != "nt":
                raise
            time.sleep(0.05 * 2**attempt)


@contextlib.contextmanager
def locked(path: Path, wait: float = 12.0) -> Iterator[None]:
    """Holds `<path>.lock`, a directory, as other programs that edit these files do.

    A lock whose owner died is taken over after ten seconds. Raises TimeoutError, and
    FileExistsError at once for what is nobody's lock, because waiting would not mend it.
    """
    lock = path.with_name(path.name + ".lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, f"{lock.parent} is not a directory") from error
    deadline = time.monotonic() + wait
    pause = 0.005
    while True:
        try:
            lock.mkdir()
            break
        except FileExistsError:
            _must_be_folder(lock)
            _break_stale(lock)
        if time.monotonic() > deadline:
            raise TimeoutError(
                f"{lock} is held by another process. If none is running, delete that folder."
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.rmdir()


def _must_be_folder(lock: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISDIR(lock.lstat().st_mode):
            raise FileExistsError(errno.EEXIST, f"{lock} is in the way of a lock")


def _break_stale(lock: Path) -> None:
    """Sets aside a lock that nobody refreshed; of several who try, one succeeds."""
    with contextlib.suppress(OSError):
        found = lock.stat()
        if time.time() - found.st_mtime < STALE_AFTER:
            return
        aside = lock.with_name(f"{lock.name}.{os.getpid()}.{os.urandom(4).hex()}")
        lock.rename(aside)
        taken = aside.stat()
        if (taken.st_ino, taken.st_mtime_ns) != (found.st_ino, found.st_mtime_ns):
            aside.rename(lock)
            return
        aside.rmdir()
