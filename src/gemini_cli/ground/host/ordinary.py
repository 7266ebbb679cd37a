"""Opens files that somebody else may have put there: ordinary ones only, without ever waiting.

A pipe, device, folder or socket in the place of a file is refused before a byte is read. How
much is read, and what it means, is the caller's business.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class NotOrdinary(OSError):
    """There is something at the path, but it is no file."""


@contextmanager
def ordinary(path: Path, *, follow: bool = True) -> Iterator[BinaryIO]:
    """The file, open for reading; with `follow` off, a link counts as no file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotOrdinary(errno.EINVAL, "Not an ordinary file", str(path))
        with os.fdopen(handle, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(handle)
