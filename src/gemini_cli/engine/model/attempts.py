"""Sends until it works or waiting is of no more use, announcing each wait before it begins.

It knows neither requests nor answers. Cancelling it in the middle of a wait ends the wait.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from gemini_cli.engine.model.retry import Backoff
from gemini_cli.protocol.errors import ModelError
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.model import Retried

_Result = TypeVar("_Result")


class Done(msgspec.Struct, Generic[_Result], frozen=True):
    """What was sent for. Always the last item."""

    value: _Result


async def attempts(
    send: Callable[[], Awaitable[_Result]], backoff: Backoff, clock: Clock
) -> AsyncGenerator[Retried | Done[_Result], None]:
    """`Retried` for each failure that is waited out, then one `Done`; or the last `ModelError`."""
    while True:
        started = clock.monotonic()
        try:
            result = await send()
            break
        except ModelError as error:
            retried = backoff.after(error, clock.monotonic() - started)
            if retried is None:
                raise
        yield retried
        await clock.sleep(retried.delay_ms / 1000)
    yield Done(result)
