"""Moves bytes between a child and the event loop without ever blocking either.

What arrives is kept as a bounded tail; a slow reader loses the oldest bytes and is told how
many, the child is never held up. It knows nothing of processes.
"""

import asyncio
import contextlib
import errno
import os
import threading
from collections import deque
from collections.abc import AsyncIterator

CHUNK = 1 << 18
TAIL_BYTES = 16 << 20
# Small pieces are joined, or a chatty child would cost many times its output.
PIECE = 1 << 16
# More than a pipe can hold, so one last read empties it.
LAST_READ = 4 << 20


class Tail:
    """The last bytes of a stream, at most `limit` of them, and how many came before."""

    def __init__(self, limit: int = TAIL_BYTES) -> None:
        self._limit = limit
        self._chunks: deque[bytearray] = deque()
        self._held = 0
        self.total = 0

    @property
    def dropped(self) -> int:
        """Bytes that are gone because the stream was longer than the limit."""
        return self.total - self._held

    def append(self, data: bytes) -> None:
        """Adds to the end; drops from the start what no longer fits."""
        if self._chunks and len(self._chunks[-1]) + len(data) <= PIECE:
            self._chunks[-1] += data
        else:
            self._chunks.append(bytearray(data))
        self._held += len(data)
        self.total += len(data)
        while self._held - len(self._chunks[0]) >= self._limit:
            self._held -= len(self._chunks.popleft())
        if self._held > self._limit:
            over = self._held - self._limit
            del self._chunks[0][:over]
            self._held -= over

    def read(self) -> bytes:
        """All that is kept."""
        return b"".join(self._chunks)

    def since(self, position: int) -> bytes:
        """What came after the first `position` bytes of the stream, as far as it is kept."""
        wanted = min(self.total - position, self._held)
        if wanted <= 0:
            return b""
        parts: list[bytearray] = []
        for chunk in reversed(self._chunks):
            parts.append(chunk[-wanted:] if wanted < len(chunk) else chunk)
            wanted -= len(chunk)
            if wanted <= 0:
                break
        return b"".join(reversed(parts))


class Channel:
    """Our end of a child's pipe or terminal. `close` may be called at any time, many times."""

    def __init__(self, fd: int, *, reads: bool = True, limit: int = TAIL_BYTES) -> None:
        self.tail = Tail(limit)
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._ended = asyncio.Event()
        self._open = True
        self._turn = asyncio.Lock()
        self._room: asyncio.Future[None] | None = None
        if os.name != "nt":
            os.set_blocking(fd, False)
            if reads:
                self._loop.add_reader(fd, self._on_readable)
        elif reads:
            threading.Thread(target=self._pump, daemon=True).start()

    @property
    def ended(self) -> asyncio.Event:
        """Set when nothing more will be given to readers."""
        return self._ended

    @property
    def closed(self) -> bool:
        """Whether our end has been given back."""
        return not self._open

    async def read(self) -> AsyncIterator[bytes]:
        """Chunks as they arrive, from the start of what is kept; several readers may look."""
        position = self.tail.dropped
        while True:
            over = self._ended.is_set()
            if data := self.tail.since(position):
                position = self.tail.total
                yield data
            elif over:
                return
            else:
                self._news.clear()
                await self._news.wait()

    def finish(self) -> None:
        """Ends reading for everybody. What grandchildren still write is read and dropped, so
        that they neither block nor die of a closed pipe."""
        if self._open and os.name != "nt":
            self._drain(LAST_READ)
        self._end()

    def close(self) -> None:
        """Gives the file descriptor back."""
        if self._open:
            self._open = False
            if os.name != "nt":
                self._loop.remove_reader(self._fd)
                self._loop.remove_writer(self._fd)
            os.close(self._fd)
            self._has_room()
        self._end()

    async def write(self, data: bytes) -> None:
        """Sends all of it, waiting for room; raises `BrokenPipeError` if nobody listens."""
        async with self._turn:
            rest = memoryview(data)
            while rest:
                if not self._open:
                    raise BrokenPipeError(errno.EPIPE, "the other end is closed")
                try:
                    rest = rest[os.write(self._fd, rest) :]
                except BlockingIOError:
                    await self._wait_for_room()

    async def _wait_for_room(self) -> None:
        self._room = self._loop.create_future()
        self._loop.add_writer(self._fd, self._has_room)
        try:
            await self._room
        finally:
            if self._open:
                self._loop.remove_writer(self._fd)

    def _has_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def _on_readable(self) -> None:
        self._drain(CHUNK)

    def _drain(self, most: int) -> None:
        while most > 0:
            try:
                data = os.read(self._fd, CHUNK)
            except BlockingIOError:
                return
            except OSError:
                # A terminal whose last user is gone answers EIO, which is its end of file.
                data = b""
            if not data:
                self.close()
                return
            self._take(data)
            most -= len(data)

    def _take(self, data: bytes) -> None:
        if not self._ended.is_set():
            self.tail.append(data)
            self._news.set()

    def _end(self) -> None:
        self._ended.set()
        self._news.set()

    def _pump(self) -> None:
        """Windows pipes cannot be watched, so a thread reads them."""
        with contextlib.suppress(OSError, RuntimeError):
            while data := os.read(self._fd, CHUNK):
                self._loop.call_soon_threadsafe(self._take, data)
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.close)
