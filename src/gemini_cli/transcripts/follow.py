"""A session that is still being written, as messages while they come.

It looks at size and time of the file and reads again when they change; what was given out
before is known by a digest. A line that is torn now is whole the next time.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from gemini_cli.transcripts.errors import SessionCorruptError
from gemini_cli.transcripts.model import UnifiedMessage

Stamp = tuple[int, int, int]
Read = Callable[[], Iterator[UnifiedMessage]]


class Follower:
    """Gives each message once, and again when it has changed."""

    def __init__(self, path: Path, read: Read) -> None:
        self._path = path
        self._read = read
        self._given: dict[tuple[str, int], bytes] = {}
        self._stamp: Stamp | None = None

    def run(self, stop: Event | None, poll_seconds: float) -> Iterator[UnifiedMessage]:
        """Until `stop` is set; it is looked at whenever the file has nothing new."""
        signal = stop or Event()
        while True:
            yield from self.fresh()
            if signal.wait(poll_seconds):
                yield from self.fresh()
                return

    def fresh(self) -> Iterator[UnifiedMessage]:
        """What is new or changed since the last look; nothing while the file stays the same."""
        stamp = self._look()
        if stamp is None or stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            times: Counter[str] = Counter()  # how often an id has come: some files repeat one
            for message in self._read():
                name, digest = (message.id, times[message.id]), _digest(message)
                times[message.id] += 1
                if self._given.get(name) != digest:
                    self._given[name] = digest
                    yield message
        except SessionCorruptError:
            self._stamp = None  # it may be in the middle of being replaced: look again

    def _look(self) -> Stamp | None:
        """Size and time, those of a database's write-ahead log included."""
        stamp = [0, 0, 0]
        for path in (self._path, self._path.with_name(self._path.name + "-wal")):
            try:
                found = path.stat()
            except OSError:
                continue
            stamp = [stamp[0] + found.st_size, max(stamp[1], found.st_mtime_ns), found.st_ino]
        return (stamp[0], stamp[1], stamp[2]) if any(stamp) else None


def _digest(message: UnifiedMessage) -> bytes:
    try:
        shown = repr((message.role, message.content, message.usage, message.model))
    except RecursionError:
        shown = message.id
    return hashlib.blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=12).digest()
