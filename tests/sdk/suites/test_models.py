"""Our models keep the promises of the port, and the suite notices those that do not."""

from collections.abc import AsyncGenerator, Iterator

import pytest

from gemini_cli.engine.model import ModelSettings, open_models
from gemini_cli.ground.net.exchange import HttpOptions
from gemini_cli.ground.net.http import Http
from gemini_cli.protocol.errors import BadRequest
from gemini_cli.protocol.model import Chunk, Models, StreamItem
from gemini_cli.sdk.testing import (
    Step,
    ThreadedServer,
    always,
    answer,
    call,
    error,
    fakes,
    scripted_server,
    stall,
    text,
)
from gemini_cli.sdk.testing.fakes import FakeClock, FakeModels
from gemini_cli.sdk.testing.suites import MODELS_CHECKS
from gemini_cli.sdk.testing.suites.models import streams_the_words_in_order


class GeminiStage:
    """The product's models in front of a scripted service."""

    model = "gemini-2.5-flash"

    def __init__(self, server: ThreadedServer) -> None:
        self._server = server

    def _models(self, step: Step) -> Models:
        self._server.add(step)
        return open_models(
            ModelSettings(),
            {"GEMINI_API_KEY": "key", "GOOGLE_GEMINI_BASE_URL": self._server.url},
            http=lambda: Http(HttpOptions()),
            clock=FakeClock(),
        )

    def says(self, *pieces: str) -> Models:
        return self._models(always(text(*pieces)))

    def calls(self, name: str, args) -> Models:
        return self._models(call(name, args))

    def fails(self) -> Models:
        return self._models(always(error(400, "Unknown field\nin line two")))

    def hangs(self) -> Models:
        return self._models(answer(text("one"), stall("mid")))

    def sent(self) -> int:
        return len(self._server.requests)


class FakeStage:
    """The fake that stands in for models in everybody's tests."""

    model = "fake-model"

    def __init__(self) -> None:
        self._models = FakeModels()

    def _made(self, *script, answers=()) -> Models:
        self._models = FakeModels(*script, answers=answers)
        return self._models

    def says(self, *pieces: str) -> Models:
        chunks = [fakes.text(piece) for piece in pieces]
        whole = "".join(pieces)
        return self._made(chunks, chunks, answers=[{"answer": "plum"} if self._asked else whole])

    @property
    def _asked(self) -> bool:
        """A second question of the suite comes with a schema."""
        return bool(self._models.asked)

    def calls(self, name: str, args) -> Models:
        return self._made([fakes.call(name, args)])

    def fails(self) -> Models:
        return self._made([BadRequest("no")])

    def hangs(self) -> Models:
        return self._made([fakes.text("one"), fakes.stall()])

    def sent(self) -> int:
        return len(self._models.requests)


@pytest.fixture
def server() -> Iterator[ThreadedServer]:
    with scripted_server([]) as made:
        yield made


@pytest.mark.parametrize("check", MODELS_CHECKS, ids=lambda check: check.__name__)
async def test_gemini(check, server: ThreadedServer):
    await check(GeminiStage(server))


@pytest.mark.parametrize("check", MODELS_CHECKS, ids=lambda check: check.__name__)
async def test_fake(check):
    await check(FakeStage())


class Stuttering(FakeModels):
    async def stream(self, request) -> AsyncGenerator[StreamItem, None]:
        async for item in super().stream(request):
            yield item
            if isinstance(item, Chunk):
                yield item


async def test_a_broken_implementation_is_noticed():
    class Stage(FakeStage):
        def _made(self, *script, answers=()) -> Models:
            self._models = Stuttering(*script, answers=answers)
            return self._models

    with pytest.raises(AssertionError, match="the words are"):
        await streams_the_words_in_order(Stage())
