"""A raw HTTP server on loopback whose every byte a test decides. It knows no HTTP library.

Each connection hands requests to a coroutine `(request, wire)`; helpers write whole answers,
chunked pieces, or break off in ways a well-behaved server never would.
"""

import asyncio
import gzip
import json
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Wire:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    over: bool = False

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    async def json(self, status: int, value: object, **headers: str) -> None:
        body = json.dumps(value).encode()
        await self.answer(status, body, content_type="application/json", **headers)

    async def start_stream(self, **headers: str) -> None:
        lines = ["HTTP/1.1 200 OK", "transfer-encoding: chunked"]
        headers = {"content_type": "text/event-stream"} | headers
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join(lines).encode() + b"\r\n\r\n")

    async def piece(self, data: bytes) -> None:
        await self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    async def event(self, value: object) -> None:
        await self.piece(b"data: " + json.dumps(value).encode() + b"\r\n\r\n")

    async def end_stream(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def events(self, *values: object) -> None:
        await self.start_stream()
        for value in values:
            await self.event(value)
        await self.end_stream()

    async def gzipped(self, *values: object) -> None:
        data = b"".join(b"data: " + json.dumps(v).encode() + b"\n\n" for v in values)
        await self.answer(
            200, gzip.compress(data), content_encoding="gzip", content_type="text/event-stream"
        )

    def cut(self) -> None:
        """Closes in good order, whatever was promised."""
        self.over = True
        self.writer.close()

    def reset(self) -> None:
        """Closes with a TCP reset."""
        self.over = True
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.close()

    async def stall(self) -> None:
        """Says nothing more until the client gives up."""
        await self.reader.read()
        self.over = True


Script = Callable[[Seen, Wire], Awaitable[None]]


@dataclass
class Loopback:
    script: Script | list[Script]
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    async def __aenter__(self) -> "Loopback":
        self._tasks: set[asyncio.Task] = set()
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        wire = Wire(reader, writer)
        try:
            while not wire.over:
                request = await self._read(reader, self.connections)
                if request is None:
                    break
                self.seen.append(request)
                await self._pick()(request, wire)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    def _pick(self) -> Script:
        if not isinstance(self.script, list):
            return self.script
        assert self.script, "the client asked once more than scripted"
        return self.script.pop(0)

    async def _read(self, reader: asyncio.StreamReader, connection: int) -> Seen | None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Seen(method, path, headers, body, connection)
