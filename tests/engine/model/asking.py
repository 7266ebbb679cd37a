"""One request to a scripted server, and how it went."""

import pytest

from engine.model.fakes import FakeClock, collect, models, request, text_in
from gemini_cli.protocol import errors
from ground.net.loopback import Loopback


def says(*values):
    async def script(seen, wire):
        await wire.events(*values)

    return script


def fails(status: int, body: object, **headers: str):
    async def script(seen, wire):
        await wire.json(status, body, **headers)

    return script


def error(code: int, message: str = "no", *details: dict) -> dict:
    return {"error": {"code": code, "message": message, "details": list(details)}}


async def run(script, clock=None, **more):
    clock = clock or FakeClock()
    async with Loopback(script) as server:
        made = models(server.url, clock=clock, jitter=lambda: 0.5, **more)
        return await collect(made), server, clock


async def failure(script, kind=errors.ModelError, **more):
    with pytest.raises(kind) as caught:
        await run(script, **more)
    return caught.value


async def drain(made) -> str:
    return text_in([item async for item in made.stream(request())])
