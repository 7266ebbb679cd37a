"""Plays one step to one client: status, chunks, silences and broken connections.

The step says what happens; this module only carries it out and reports whether the
connection is still good for another request.
"""

import asyncio

from gemini_cli.sdk.testing import wire
from gemini_cli.sdk.testing.http1 import Connection, Left
from gemini_cli.sdk.testing.request import Request
from gemini_cli.sdk.testing.script import (
    Cut,
    Failure,
    Malformed,
    Piece,
    Stall,
    Step,
    Tokens,
    Vectors,
)

_JSON = {"Content-Type": "application/json; charset=UTF-8"}
_HTML = {"Content-Type": "text/html; charset=UTF-8"}
_SSE = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}


class Releases:
    """Lets a test end the stalls that are going on, or the next one if it has not begun yet."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._waiting = 0
        self._saved = 0

    def fire(self) -> None:
        """Wakes everyone who waits; where nobody does, the next one will not have to."""
        if self._waiting:
            self._event.set()
            self._event = asyncio.Event()
        else:
            self._saved += 1

    async def wait(self) -> None:
        """Returns at the next `fire`."""
        if self._saved:
            self._saved -= 1
            return
        self._waiting += 1
        try:
            await self._event.wait()
        finally:
            self._waiting -= 1


async def play(connection: Connection, request: Request, step: Step, releases: Releases) -> bool:
    """Answers the request; False when the connection was broken on purpose."""
    pieces = list(step.pieces)
    while pieces and isinstance(pieces[0], Stall) and pieces[0].where == "first_byte":
        await _silence(connection, pieces.pop(0), releases)
    if pieces and isinstance(pieces[0], Failure):
        await _failure(connection, pieces[0])
        return True
    if pieces and isinstance(pieces[0], Tokens | Vectors):
        await connection.whole(200, wire.dumps(wire.counted(pieces[0])), _JSON)
        return True
    rest = Step(tuple(pieces), step.methods)
    if request.method == "streamGenerateContent":
        return await _stream(connection, request, rest, releases)
    return await _whole(connection, request, rest, releases)


async def _failure(connection: Connection, failure: Failure) -> None:
    after = {} if failure.retry_after is None else {"Retry-After": failure.retry_after}
    if failure.body is not None:
        await connection.whole(failure.code, failure.body.encode(), {**_HTML, **after})
    else:
        data = wire.dumps(wire.error_body(failure))
        await connection.whole(failure.code, data, {**_JSON, **after})


async def _stream(connection: Connection, request: Request, step: Step, releases: Releases) -> bool:
    sse = request.query.get("alt") == "sse"
    headers = _SSE if sse else _JSON
    await connection.start(200, {**headers, "Transfer-Encoding": "chunked"})
    opening = b"["
    for action in wire.actions(step, request):
        match action:
            case Stall():
                await _silence(connection, action, releases)
            case Cut():
                if action.inside:
                    await connection.half_chunk(b'data: {"candidates":[{"content":{"parts":[]}}]}')
                await connection.close()
                return False
            case Malformed():
                await connection.chunk(_framed(action.text.encode(), opening, sse))
            case _:
                await connection.chunk(_framed(wire.dumps(action), opening, sse))
                opening = b","
    if not sse:
        await connection.chunk(b"]" if opening == b"," else b"[]")
    await connection.chunk(b"")
    return True


def _framed(data: bytes, opening: bytes, sse: bool) -> bytes:
    return b"data: " + data + b"\r\n\r\n" if sse else opening + data + b"\r\n"


async def _whole(connection: Connection, request: Request, step: Step, releases: Releases) -> bool:
    data = wire.dumps(wire.body(step, request))
    for piece in step.pieces:
        match piece:
            case Stall():
                await _silence(connection, piece, releases)
            case Cut():
                await connection.start(200, {**_JSON, "Content-Length": str(len(data) + 1)})
                await connection.close()
                return False
            case Malformed():
                await connection.whole(200, piece.text.encode(), _JSON)
                return True
            case _:
                continue
    await connection.whole(200, data, _JSON)
    return True


async def _silence(connection: Connection, stall: Piece, releases: Releases) -> None:
    """Waits for the stall's end; raises `Left` when the client gives up first."""
    seconds = stall.seconds if isinstance(stall, Stall) else None
    released = asyncio.ensure_future(releases.wait())
    gone = asyncio.ensure_future(connection.until_gone())
    try:
        done, _ = await asyncio.wait(
            (released, gone), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        for task in (released, gone):
            task.cancel()
    if gone in done:
        raise Left
