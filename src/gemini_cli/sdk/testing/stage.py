"""The scripted Gemini server: plays a script to whoever asks and remembers every request.

It listens on loopback only, answers exactly what the script says, and answers anything the
script does not foresee with an error that `check()` turns into a failed test.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Literal, Self, TypeAlias, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from gemini_cli.sdk.testing import wire
from gemini_cli.sdk.testing.http1 import Connection, Head, Left, Listener, Refused
from gemini_cli.sdk.testing.play import Releases, play
from gemini_cli.sdk.testing.request import CONTENT_METHODS, METHODS, Method, Request
from gemini_cli.sdk.testing.script import Entry, Failure, Script, Step

MAX_BODY = 64 * 1024 * 1024
Outcome: TypeAlias = Literal["playing", "answered", "cut", "client left", "unexpected"]
_TARGET = re.compile(r"/(?P<model>[^/]+)(?::|%3A)(?P<method>[A-Za-z]+)$", re.IGNORECASE)


class Exchange:
    """One request and what became of it."""

    __slots__ = ("outcome", "problem", "request", "step")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.step: Step | None = None
        self.outcome: Outcome = "playing"
        self.problem = ""


class ScriptedServer:
    """A Gemini service that says what a script says.

    Use it as `async with ScriptedServer([text("hi")]) as server:` and point the product at
    `server.url`. Leaving the block without an error calls `check(unused=True)` unless the test
    has called `check` itself.

    Each request takes the first step left that may answer its method; with `strict` it takes
    the first step left, whatever its method, and a step of the wrong method is used up.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        strict: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
        max_body: int = MAX_BODY,
    ) -> None:
        self._left = _entries(script)
        self._strict = strict
        self._host = host
        self._port = port
        self._max_body = max_body
        self._listener = Listener(self._client)
        self._exchanges: list[Exchange] = []
        self._refused: list[str] = []
        self._changed = asyncio.Condition()
        self._releases = Releases()
        self._checked = False

    @property
    def url(self) -> str:
        """The base URL, for GOOGLE_GEMINI_BASE_URL."""
        return f"http://{self._host}:{self._port}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, in order of arrival."""
        return tuple(exchange.request for exchange in self._exchanges)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every request with the step that answered it and how that ended."""
        return tuple(self._exchanges)

    def add(self, *entries: Entry) -> None:
        """Appends steps to the script."""
        self._left += _entries(entries)

    def release(self) -> None:
        """Ends every stall that is going on; where none is, the next one does not begin."""
        self._releases.fire()

    async def until(self, requests: int, *, timeout: float = 10.0) -> None:
        """Returns when that many requests have arrived."""
        await self._until(lambda: len(self._exchanges) >= requests, timeout, f"{requests} requests")

    async def settled(self, *, timeout: float = 10.0) -> None:
        """Returns when every request that arrived has been dealt with."""
        playing = "the end of every exchange"
        await self._until(
            lambda: all(e.outcome != "playing" for e in self._exchanges), timeout, playing
        )

    def check(self, *, unused: bool = False) -> None:
        """Fails with details when a request was not foreseen or, unless `unused` steps are
        allowed, when a step was never asked for."""
        self._checked = True
        problems = [e.problem for e in self._exchanges if e.problem] + self._refused
        if not unused:
            steps = [s for s in self._left if not (isinstance(s, Step) and s.repeats)]
            problems += [f"never asked for: {_title(entry)}" for entry in steps]
        if problems:
            raise AssertionError("scripted server: " + "\n  ".join(["", *problems]).strip())

    async def start(self) -> None:
        """Begins to listen."""
        self._port = await self._listener.open(self._host, self._port)

    async def stop(self) -> None:
        """Drops every client and stops listening."""
        await self._listener.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()
        if error is None and not self._checked:
            self.check(unused=True)

    async def _until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        try:
            async with asyncio.timeout(timeout), self._changed:
                await self._changed.wait_for(done)
        except TimeoutError as error:
            seen = len(self._exchanges)
            raise TimeoutError(f"waited {timeout:g} s for {what}; {seen} requests came") from error

    async def _client(self, connection: Connection) -> None:
        try:
            while (head := await connection.head()) is not None:
                raw = await connection.body(head, self._max_body)
                if not await self._exchange(connection, head, raw) or not head.keep:
                    return
        except Refused as error:
            self._refused.append(f"a request that is not HTTP as it should be: {error}")
            body = wire.dumps({"error": {"code": error.status, "message": str(error)}})
            await _quietly(connection, error.status, body)
            await connection.drain()
        except Left:
            return
        except Exception as error:
            self._refused.append(f"the scripted server itself failed: {error!r}")
            raise

    async def _exchange(self, connection: Connection, head: Head, raw: bytes) -> bool:
        """Answers one request; whether the connection may be used again."""
        exchange = Exchange(_request(len(self._exchanges) + 1, head, raw))
        self._exchanges.append(exchange)
        await self._tell()
        exchange.step = step = self._next(exchange)
        try:
            whole = await play(connection, exchange.request, step, self._releases)
            exchange.outcome = "answered" if whole else "cut"
        except Left:
            exchange.outcome, whole = "client left", False
        finally:
            if exchange.problem:
                exchange.outcome = "unexpected"
            elif exchange.outcome == "playing":
                exchange.outcome = "cut"
            await self._tell()
        return whole

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _next(self, exchange: Exchange) -> Step:
        request = exchange.request
        if request.method is None:
            return self._unexpected(exchange, "not a POST to a Gemini API method")
        if request.raw and not _is_object(request.raw):
            return self._unexpected(exchange, "its body is not a JSON object")
        for index, entry in enumerate(self._left):
            methods = entry.methods if isinstance(entry, Step) else CONTENT_METHODS
            if request.method not in methods and not self._strict:
                continue
            if not (isinstance(entry, Step) and entry.repeats):
                del self._left[index]
            if request.method not in methods:
                return self._unexpected(exchange, f"the next step is {_title(entry)}")
            return entry if isinstance(entry, Step) else self._made(exchange, entry)
        left = ", ".join(_title(e) for e in self._left[:5]) or "none"
        return self._unexpected(exchange, f"no step left for {request.method} (left: {left})")

    def _made(self, exchange: Exchange, entry: Callable[[Request], object]) -> Step:
        try:
            step = entry(exchange.request)
        except Exception as error:
            why = f"{_title(entry)} raised {type(error).__name__}: {error}"
            return self._unexpected(exchange, why)
        if not isinstance(step, Step):
            return self._unexpected(exchange, f"{_title(entry)} returned no step: {step!r:.80}")
        return step

    def _unexpected(self, exchange: Exchange, why: str) -> Step:
        """Answered with a status no client repeats, so that the run ends and the test with it."""
        request = exchange.request
        said = f", prompt {request.prompt[:120]!r}" if request.prompt else ""
        where = f"request {request.number} to {request.path}{said}"
        exchange.problem = f"unexpected {where}: {why}"
        failure = Failure(400, exchange.problem, "INVALID_ARGUMENT")
        return Step((failure,), METHODS)


def _entries(script: Iterable[Entry]) -> list[Entry]:
    """The steps, once each of them is one: a slip is told where it was written."""
    entries = list(script)
    for entry in entries:
        if not isinstance(entry, Step) and not callable(entry):
            raise TypeError(f'{entry!r:.80} is no step; write text("…"), call(…), error(…) …')
    return entries


def _title(entry: object) -> str:
    return entry.title if isinstance(entry, Step) else getattr(entry, "__name__", repr(entry))


def _request(number: int, head: Head, raw: bytes) -> Request:
    url = urlsplit(head.target)
    found = _TARGET.search(url.path)
    body = _decoded(raw)
    method = found["method"] if found and head.verb == "POST" else None
    return Request(
        number=number,
        method=cast(Method, method) if method in METHODS else None,
        model=unquote(found["model"]) if found else "",
        path=url.path,
        query=dict(parse_qsl(url.query)),
        headers=head.headers,
        body=body if isinstance(body, dict) else {},
        raw=raw,
        at=head.at,
    )


def _is_object(raw: bytes) -> bool:
    return raw.lstrip()[:1] == b"{" and _decoded(raw) is not None


def _decoded(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


async def _quietly(connection: Connection, status: int, body: bytes) -> None:
    headers = {"Content-Type": "application/json", "Connection": "close"}
    try:
        await connection.whole(status, body, headers)
    except Left:
        return
