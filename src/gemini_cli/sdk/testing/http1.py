"""Just enough of an HTTP/1.1 server for loopback tests: keep-alive, chunked both ways.

It bounds what a client may send and how long it may take, and it notices when a client
leaves. It knows nothing of the Gemini service and is no server for the open internet.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from msgspec import Struct

MAX_HEAD = 64 * 1024
MAX_HEADERS = 200
HEAD_SECONDS = 30.0
BODY_SECONDS = 60.0
WRITE_SECONDS = 60.0
DRAIN_SECONDS = 1.0
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


class Refused(Exception):
    """The client sent something that is answered with `status` and a closed connection."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Left(Exception):
    """The client is gone or does not read any more."""


class Head(Struct, frozen=True):
    """The request line and the headers, names in lower case."""

    verb: str
    target: str
    headers: dict[str, str]
    keep: bool
    at: float


class Connection:
    """One client, from connecting to leaving."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gone: asyncio.Event
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._gone = gone

    async def head(self) -> Head | None:
        """The next request's head; None when the client has nothing more to say."""
        first = await self._read(1)
        if not first:
            return None
        at = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                rest = await self._reader.readuntil(b"\r\n\r\n")
        except TimeoutError as error:
            raise Refused(408, f"the head did not arrive within {HEAD_SECONDS:g} s") from error
        except asyncio.LimitOverrunError as error:
            raise Refused(431, f"the head is larger than {MAX_HEAD} bytes") from error
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Left from error
        return _parse_head((first + rest).decode("latin-1"), at)

    async def body(self, head: Head, limit: int) -> bytes:
        """The request's body, at most `limit` bytes."""
        coding = head.headers.get("transfer-encoding", "").lower()
        length = head.headers.get("content-length")
        if coding and length is not None:
            raise Refused(400, "both Content-Length and Transfer-Encoding were sent")
        if coding not in ("", "chunked"):
            raise Refused(501, f"transfer coding {coding!r} is not understood")
        if length is not None and not (length.isascii() and length.isdigit()):
            raise Refused(400, "Content-Length is no number")
        if int(length or 0) > limit:
            raise Refused(413, f"the body is larger than {limit} bytes")
        if head.headers.get("expect", "").lower() == "100-continue":
            await self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            async with asyncio.timeout(BODY_SECONDS):
                if coding:
                    return await self._chunked(limit)
                return await self._reader.readexactly(int(length or 0))
        except TimeoutError as error:
            raise Refused(408, f"the body did not arrive within {BODY_SECONDS:g} s") from error
        except asyncio.LimitOverrunError as error:
            raise Refused(400, "a chunk's size line is too long") from error
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Left from error

    async def _chunked(self, limit: int) -> bytes:
        found = bytearray()
        while True:
            line = (await self._reader.readuntil(b"\r\n")).split(b";")[0].strip()
            try:
                size = int(line, 16) if line.isalnum() else -1
            except ValueError:
                size = -1
            if size < 0:
                raise Refused(400, "a chunk's size is no hexadecimal number")
            if len(found) + size > limit:
                raise Refused(413, f"the body is larger than {limit} bytes")
            if size == 0:
                while (await self._reader.readuntil(b"\r\n")) != b"\r\n":
                    pass
                return bytes(found)
            found += await self._reader.readexactly(size)
            if await self._reader.readexactly(2) != b"\r\n":
                raise Refused(400, "a chunk does not end where its size says")

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Sends the status line and the headers."""
        phrase = _PHRASES.get(status, "Scripted")
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
        await self._send("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def whole(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        """A response in one piece."""
        await self.start(status, {**headers, "Content-Length": str(len(data))})
        await self._send(data)

    async def chunk(self, data: bytes) -> None:
        """One chunk of a chunked response; an empty one ends it."""
        await self._send(b"%x\r\n%b\r\n" % (len(data), data))

    async def half_chunk(self, data: bytes) -> None:
        """Announces a chunk and sends only half of it."""
        await self._send(b"%x\r\n%b" % (len(data), data[: len(data) // 2]))

    async def until_gone(self) -> None:
        """Returns when the client has left."""
        await self._gone.wait()

    async def drain(self) -> None:
        """Reads on for a moment, so that a refused client still gets to see the answer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while await self._read(MAX_HEAD):
                    pass

    def abort(self) -> None:
        """Drops the connection at once."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """Closes once everything has been handed over."""
        self._writer.close()
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self.abort()

    async def _read(self, size: int) -> bytes:
        try:
            return await self._reader.read(size)
        except OSError:
            return b""

    async def _send(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise Left
        self._writer.write(data)
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            self.abort()
            raise Left from error


class _Protocol(asyncio.StreamReaderProtocol):
    """Says when the other side hangs up, even while nobody reads."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        opened: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None],
        gone: asyncio.Event,
    ) -> None:
        super().__init__(reader, opened)
        self._gone_event = gone

    def eof_received(self) -> bool | None:
        self._gone_event.set()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone_event.set()
        super().connection_lost(exc)


class Listener:
    """A listening socket and the tasks that serve its clients."""

    def __init__(self, serve: Callable[[Connection], Awaitable[None]]) -> None:
        self._serve = serve
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Starts listening; the port it got."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._protocol, host, port)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def close(self) -> None:
        """Stops listening and drops every client."""
        if self._server is None:
            return
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    def _protocol(self) -> asyncio.Protocol:
        gone = asyncio.Event()

        def opened(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._client(Connection(reader, writer, gone)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return _Protocol(asyncio.StreamReader(limit=MAX_HEAD), opened, gone)

    async def _client(self, connection: Connection) -> None:
        try:
            await self._serve(connection)
            await connection.close()
        finally:
            connection.abort()


def _parse_head(text: str, at: float) -> Head:
    first, *lines = text.removesuffix("\r\n\r\n").lstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise Refused(400, "the request line is not HTTP/1.x")
    if len(lines) > MAX_HEADERS:
        raise Refused(431, f"more than {MAX_HEADERS} headers")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise Refused(400, "a header line has no proper name")
        key = name.lower()
        if key == "content-length" and headers.get(key, value.strip()) != value.strip():
            raise Refused(400, "two different Content-Length headers were sent")
        repeats = key in headers and key != "content-length"
        headers[key] = f"{headers[key]}, {value.strip()}" if repeats else value.strip()
    wish = headers.get("connection", "").lower()
    keep = wish == "keep-alive" if words[2] == "HTTP/1.0" else "close" not in wish
    return Head(words[0], words[1], headers, keep, at)
