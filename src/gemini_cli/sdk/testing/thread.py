"""The scripted server for tests that are not asynchronous: it runs in a thread of its own.

Same script, same questions, no event loop in the caller's hands.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from gemini_cli.sdk.testing.request import Request
from gemini_cli.sdk.testing.script import Entry, Script
from gemini_cli.sdk.testing.stage import Exchange, ScriptedServer


class ThreadedServer:
    """A `ScriptedServer` seen from another thread."""

    def __init__(self, server: ScriptedServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop

    @property
    def url(self) -> str:
        """The base URL, for GOOGLE_GEMINI_BASE_URL."""
        return self._server.url

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far."""
        return self._server.requests

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every request with the step that answered it and how that ended."""
        return self._server.exchanges

    def add(self, *entries: Entry) -> None:
        """Appends steps to the script; they are there when this returns."""

        async def add() -> None:
            self._server.add(*entries)

        self._wait(add())

    def release(self) -> None:
        """As `ScriptedServer.release`."""
        self._loop.call_soon_threadsafe(self._server.release)

    def until(self, requests: int, *, timeout: float = 10.0) -> None:
        """Returns when that many requests have arrived."""
        self._wait(self._server.until(requests, timeout=timeout))

    def settled(self, *, timeout: float = 10.0) -> None:
        """Returns when every request that arrived has been dealt with."""
        self._wait(self._server.settled(timeout=timeout))

    def check(self, *, unused: bool = False) -> None:
        """As `ScriptedServer.check`."""
        self._server.check(unused=unused)

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()


@contextmanager
def scripted_server(
    script: Script = (), *, strict: bool = False, port: int = 0
) -> Iterator[ThreadedServer]:
    """Runs a scripted server while the block lasts; checks as `ScriptedServer` does."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="scripted-gemini", daemon=True)
    thread.start()

    def wait(work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        server = ScriptedServer(script, strict=strict, port=port)
        wait(server.start())
        try:
            yield ThreadedServer(server, loop)
        except BaseException as error:
            wait(server.__aexit__(type(error), error, error.__traceback__))
            raise
        wait(server.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
