"""One session file that is being written: append-only, a line per `write`, locked by us.

A line that was torn by a crash is closed before the next is added. It knows nothing of what
the lines mean.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

if sys.platform != "win32":
    import fcntl

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class Locked(OSError):
    """Another process writes this file."""


class SessionFile:
    """An open session file. Raises `OSError` where the disk does not play along."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd
        self._torn = False

    @classmethod
    def create(cls, path: Path) -> "SessionFile":
        """Makes a new file; `FileExistsError` if there is one. Nobody else may read it."""
        make_private(path.parent)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        file = cls(path, os.open(path, flags, PRIVATE_FILE))
        file._lock()
        return file

    @classmethod
    def reopen(cls, path: Path) -> "SessionFile":
        """Opens a file to go on with it; `Locked` if somebody else does."""
        fd = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        file = cls(path, fd)
        try:
            file._lock()
        except OSError:
            os.close(fd)
            raise
        size = os.fstat(fd).st_size
        os.lseek(fd, max(size - 1, 0), os.SEEK_SET)
        file._torn = size > 0 and os.read(fd, 1) != b"\n"
        return file

    def append(self, record: JsonObject) -> None:
        """Adds one line, in one write as far as the system allows."""
        line = encoded(record) + b"\n"
        rest = memoryview(b"\n" + line if self._torn else line)
        self._torn = True
        while rest:
            rest = rest[os.write(self._fd, rest) :]
        self._torn = False

    def close(self) -> None:
        """Gives the file back, lock and all."""
        os.close(self._fd)

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Locked(f"{self.path} is being written by another process") from error


def make_private(folder: Path) -> None:
    """Makes the folder and those above it that are missing, for the owner only."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def encoded(record: JsonObject) -> bytes:
    """The record as one line of JSON, whatever it holds."""
    try:
        return msgspec.json.encode(record, enc_hook=str)
    except (UnicodeEncodeError, ValueError, TypeError):
        return msgspec.json.encode(_speakable(record), enc_hook=str)


def lines_of(path: Path) -> Iterator[JsonValue]:
    """The lines of a file as JSON; blank and broken ones are passed over."""
    with path.open("rb") as file:
        for line in file:
            if not line.strip():
                continue
            try:
                yield msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue


def _speakable(value: JsonValue) -> JsonValue:
    """The same with lone surrogates replaced, which JSON in UTF-8 cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {str(_speakable(str(key))): _speakable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(item) for item in value]
    return value
