"""What a `Models` owes: nothing sent unasked, pieces in order, typed errors, a prompt end.

The stage puts the service behind the port into a state; what is checked is what the loop
relies on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from gemini_cli.protocol.errors import ModelError
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Blob, Call, Message, Reply, Text, text_of
from gemini_cli.protocol.model import Chunk, ModelRequest, Models, Retried, StreamItem

PATIENCE = 10.0
AT = "2026-01-02T03:04:05.678Z"


class ModelsStage(Protocol):
    """A service that can be told what happens next, with models in front of it."""

    @property
    def model(self) -> str:
        """A model name this implementation serves."""
        ...

    def says(self, *pieces: str) -> Models:
        """Models whose every answer is these words, in these pieces."""
        ...

    def calls(self, name: str, args: JsonObject) -> Models:
        """Models whose next answer is one tool call."""
        ...

    def fails(self) -> Models:
        """Models whose next answer is an error that no repetition mends."""
        ...

    def hangs(self) -> Models:
        """Models whose next answer begins with one piece of text and never goes on."""
        ...

    def sent(self) -> int:
        """How many requests have reached the service."""
        ...


def _request(stage: ModelsStage, *contents: Message) -> ModelRequest:
    asked = contents or (Message("u", "user", (Text("hi"),), AT),)
    return ModelRequest(stage.model, asked, system="Be brief.", prompt_id="p")


async def _all(models: Models, request: ModelRequest) -> list[StreamItem]:
    async with asyncio.timeout(PATIENCE), aclosing(models.stream(request)) as stream:
        return [item async for item in stream]


def _words(items: list[StreamItem]) -> str:
    return "".join(text_of(item.parts) for item in items if isinstance(item, Chunk))


async def sends_nothing_before_it_is_read(stage: ModelsStage) -> None:
    """A stream that nobody reads costs nothing."""
    models = stage.says("hi")
    stream = models.stream(_request(stage))
    await asyncio.sleep(0)
    assert stage.sent() == 0, "a request was sent before the first item was asked for"
    await stream.aclose()
    assert stage.sent() == 0, "closing an unread stream sent a request"
    await models.aclose()


async def streams_the_words_in_order(stage: ModelsStage) -> None:
    """Each piece once, a finish reason in capitals, and nothing but chunks and retries."""
    models = stage.says("one ", "zwei ", "三 ", "😀")
    items = await _all(models, _request(stage))
    assert all(isinstance(item, Chunk | Retried) for item in items), f"unknown items in {items}"
    assert _words(items) == "one zwei 三 😀", f"the words are {_words(items)!r}"
    finishes = [item.finish for item in items if isinstance(item, Chunk) and item.finish]
    assert len(finishes) == 1 and finishes[0].isupper(), f"finish reasons {finishes}"
    await models.aclose()


async def gives_calls_whole_with_prefixed_ids(stage: ModelsStage) -> None:
    """`name__id`, once."""
    args: JsonObject = {"path": "a b", "deep": {"n": 1, "list": [True, None]}}
    models = stage.calls("look", args)
    items = await _all(models, _request(stage))
    found = [p for item in items if isinstance(item, Chunk) for p in item.parts]
    calls = [part for part in found if isinstance(part, Call)]
    assert len(calls) == 1, f"one call was made, not {len(calls)}"
    assert (calls[0].name, calls[0].args) == ("look", args), f"the call came as {calls[0]}"
    assert calls[0].id.startswith("look__") and not calls[0].id.startswith("look__look__")
    await models.aclose()


async def takes_a_history_with_everything_in_it(stage: ModelsStage) -> None:
    """Pictures, thoughts, calls, failed replies and half characters are no reason to fail."""
    call = Call("look__1", "look", {"at": "x"}, signature="c2ln")
    history = (
        Message("1", "user", (Text("see \ud800"), Blob("image/png", b"\x89PNG")), AT),
        Message("2", "model", (Text("hm", thought=True), Text("I look."), call), AT),
        Message("3", "user", (Reply(call.id, "look", (Text("no"),), is_error=True),), AT),
        Message("4", "user", (Text("go on"),), AT),
    )
    models = stage.says("fine")
    assert _words(await _all(models, _request(stage, *history))) == "fine"
    await models.aclose()


async def fails_with_a_model_error(stage: ModelsStage) -> None:
    """One kind of exception, with a sentence in one line."""
    models = stage.fails()
    try:
        await _all(models, _request(stage))
    except ModelError as error:
        assert str(error).strip() and "\n" not in str(error).strip(), f"not one line: {error}"
    except Exception as error:
        raise AssertionError(f"a failure must be a ModelError, not {error!r}") from error
    else:
        raise AssertionError("the service failed, but the stream did not")
    await models.aclose()


async def lets_go_when_cancelled(stage: ModelsStage) -> None:
    """A stalled answer ends with the task that waits for it."""
    models, begun = stage.hangs(), asyncio.Event()
    reading = asyncio.ensure_future(_read(models, _request(stage), begun))
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
    reading.cancel()
    done, _ = await asyncio.wait([reading], timeout=PATIENCE)
    assert done, "a cancelled stream goes on waiting"
    assert reading.cancelled(), "the cancellation was swallowed"
    async with asyncio.timeout(PATIENCE):
        await models.aclose()


async def _read(models: Models, request: ModelRequest, begun: asyncio.Event) -> None:
    async with aclosing(models.stream(request)) as stream:
        async for _ in stream:
            begun.set()


async def closes_in_the_middle_and_answers_again(stage: ModelsStage) -> None:
    """Who has heard enough closes the stream; the next request is not disturbed."""
    models = stage.says("first ", "second ", "third")
    async with asyncio.timeout(PATIENCE):
        stream = models.stream(_request(stage))
        await anext(stream)
        await stream.aclose()
    assert _words(await _all(models, _request(stage))) == "first second third"
    await models.aclose()


async def answers_utility_questions(stage: ModelsStage) -> None:
    """Text without a schema, an object with one."""
    contents = (Message("u", "user", (Text("which?"),), AT),)
    models = stage.says('{"answer": "plum"}')
    async with asyncio.timeout(PATIENCE):
        said = await models.ask(stage.model, contents)
        assert isinstance(said, str), f"without a schema text is wanted, not {said!r}"
    await models.aclose()
    models = stage.says('{"answer": "plum"}')
    schema: JsonObject = {"type": "object", "properties": {"answer": {"type": "string"}}}
    async with asyncio.timeout(PATIENCE):
        found = await models.ask(stage.model, contents, schema=schema)
        assert found == {"answer": "plum"}, f"with a schema an object is wanted, not {found!r}"
    await models.aclose()


async def knows_its_limits(stage: ModelsStage) -> None:
    """A window of some size, for names it has never heard of as well."""
    models = stage.says("hi")
    for name in (stage.model, "no-such-model"):
        assert models.limits(name).input_tokens > 0, f"no room at all in {name!r}"
    await models.aclose()


async def may_be_closed_twice(stage: ModelsStage) -> None:
    """Closing is for `finally` blocks."""
    models = stage.says("hi")
    await models.aclose()
    await models.aclose()


MODELS_CHECKS: tuple[Callable[[ModelsStage], Awaitable[None]], ...] = (
    sends_nothing_before_it_is_read,
    streams_the_words_in_order,
    gives_calls_whole_with_prefixed_ids,
    takes_a_history_with_everything_in_it,
    fails_with_a_model_error,
    lets_go_when_cancelled,
    closes_in_the_middle_and_answers_again,
    answers_utility_questions,
    knows_its_limits,
    may_be_closed_twice,
)
