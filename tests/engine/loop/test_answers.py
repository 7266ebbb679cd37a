"""What of an answer is counted, told and kept."""

from gemini_cli.protocol.events import (
    CitationsGiven,
    ModelChosen,
    ModelReplied,
    Retrying,
    UsageReported,
)
from gemini_cli.protocol.messages import Text, Usage
from gemini_cli.protocol.model import Chunk, Citation, ModelChoice
from gemini_cli.sdk.testing.fakes import (
    FakeModels,
    fake_session,
    retried,
    text,
    thought,
)


async def test_failed_connections_are_not_counted():
    async with fake_session([retried(1, 500), retried(2, 900), text("ok")]) as run:
        await run.prompt("hi")
    kinds = [(e.error_kind, e.latency_ms, e.role) for e in run.of(UsageReported)]
    assert kinds == [("overloaded", 20, "main"), ("overloaded", 20, "main"), (None, 0, "main")]
    assert [(e.attempt, e.delay_ms, e.reason) for e in run.of(Retrying)] == [
        (1, 500, "connection"),
        (2, 900, "connection"),
    ]


async def test_usage_or_the_real_model_is_lost():
    usage = Usage(input=100, output=7, cached=40, thoughts=3, total=110)
    chunk = Chunk((Text("ok"),), "STOP", usage, "real-model")
    async with fake_session([chunk]) as run:
        await run.prompt("hi")
        assert run.session.view.prompt_tokens == 100
    assert run.of(UsageReported) == [UsageReported("real-model", usage, "main")]
    message = run.of(ModelReplied)[0].message
    assert (message.model, message.usage) == ("real-model", usage)


async def test_a_chosen_model_is_told_every_time_or_never():
    class Choosy(FakeModels):
        async def choose(self, view):
            return ModelChoice("flash", "router", "easy")

    models = Choosy(text("a"), text("b"))
    async with fake_session(models=models) as run:
        await run.prompt("1")
        await run.prompt("2")
    assert run.of(ModelChosen) == [ModelChosen("flash", "router", "easy")]
    assert models.requests[0].model == "flash"


async def test_sources_come_twice_or_before_the_answer():
    cited = Chunk((Text("a"),), citations=(Citation("https://b", "B"), Citation("https://a")))
    async with fake_session([cited, cited, text("", "STOP")]) as run:
        await run.prompt("hi")
    (given,) = run.of(CitationsGiven)
    assert given.text == "Citations:\n(B) https://b\nhttps://a"


async def test_a_source_without_an_address_is_listed_as_nothing():
    nowhere = Chunk((Text("a"),), citations=(Citation("", "B"),))
    async with fake_session([nowhere]) as run:
        await run.prompt("hi")
    assert run.of(CitationsGiven) == []


async def test_thoughts_are_lost_or_signatures_swallowed():
    script = [
        thought("**One**\nfirst "),
        thought("goes on"),
        thought("**Two**\nsecond"),
        text("Hel"),
        text("lo"),
        Chunk((Text("", signature="sig"),), "STOP"),
    ]
    async with fake_session(script) as run:
        await run.prompt("hi")
    assert run.of(ModelReplied)[0].message.parts == (
        Text("**One**\nfirst goes on", thought=True),
        Text("**Two**\nsecond", thought=True),
        Text("Hello"),
        Text("", signature="sig"),
    )


async def test_words_that_only_look_like_another_subject_break_a_text_apart():
    script = [thought("a"), thought("b"), text("so "), text("**bold**"), text(" words", "STOP")]
    async with fake_session(script) as run:
        await run.prompt("hi")
    assert run.of(ModelReplied)[0].message.parts == (
        Text("ab", thought=True),
        Text("so **bold** words"),
    )


async def test_signed_words_come_before_what_was_said_before_them_or_twice():
    signed = Text("b", signature="sig")
    async with fake_session([text("a"), Chunk((signed,)), text("c", "STOP")]) as run:
        await run.prompt("hi")
    assert run.of(ModelReplied)[0].message.parts == (Text("a"), signed, Text("c"))


async def test_an_empty_last_chunk_wipes_out_how_the_answer_ended():
    said = Chunk((Text("a"),), "MAX_TOKENS", Usage(input=7), "model-9")
    async with fake_session(models=FakeModels([said, Chunk()], finish=None)) as run:
        await run.prompt("hi")
    (replied,) = run.of(ModelReplied)
    assert (replied.finish, replied.message.usage, replied.message.model) == (
        "MAX_TOKENS",
        Usage(input=7),
        "model-9",
    )
