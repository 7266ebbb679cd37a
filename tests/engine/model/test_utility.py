import pytest

from engine.model.fakes import FakeClock, answer, models, request, user
from gemini_cli.engine.model import Answered
from gemini_cli.protocol import errors
from gemini_cli.protocol.messages import Blob, Reply, Usage
from gemini_cli.protocol.model import Chunk, Limits, Retried
from ground.net.loopback import Loopback

SCHEMA = {"type": "object"}


def says(*texts):
    return [lambda seen, wire, t=t: wire.json(200, answer(t)) for t in texts]


async def ask(made, *args, **more):
    try:
        return await made.ask(*args, **more)
    finally:
        await made.aclose()


async def test_an_alias_keeps_its_own_settings_though_its_model_is_symbolic():
    async with Loopback(says("a title")) as server:
        found = await ask(models(server.url), "summarizer-default", [user("x")], system="s")
        seen = server.seen[0]
    assert found == "a title"
    assert seen.path == "/v1beta/models/gemini-3.5-flash-lite:generateContent"
    assert seen.json["generationConfig"] == {"temperature": 0, "topP": 1, "maxOutputTokens": 2000}
    assert seen.json["systemInstruction"]["parts"] == [{"text": "s"}]


async def test_an_object_is_asked_for_with_its_schema_and_taken_out_of_its_fence():
    async with Loopback(says('```json\n{"a": 1}\n```')) as server:
        found = await ask(models(server.url), "llm-edit-fixer", [user("x")], schema=SCHEMA)
        config = server.seen[0].json["generationConfig"]
    assert found == {"a": 1}
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == SCHEMA


async def test_an_unusable_object_is_asked_for_again():
    async with Loopback(says("", "nonsense", "[1]", '{"ok": true}')) as server:
        found = await ask(models(server.url), "classifier", [user("x")], schema=SCHEMA)
    assert found == {"ok": True}


@pytest.mark.parametrize(
    ("role", "times"),
    [("utility_tool", 5), ("utility_loop_detector", 2), ("utility_fast_ack_helper", 1)],
)
async def test_asking_again_has_an_end(role, times):
    async with Loopback(says(*["?"] * times)) as server:
        with pytest.raises(errors.InvalidStream, match="classifier"):
            await ask(models(server.url), "classifier", [user("x")], schema=SCHEMA, role=role)
        assert len(server.seen) == times


async def test_a_busy_service_does_not_fail_a_utility_question():
    clock = FakeClock()
    script = [lambda seen, wire: wire.json(503, {}), *says("fine")]
    async with Loopback(script) as server:
        made = models(server.url, clock=clock, jitter=lambda: 0.5)
        assert await ask(made, "edit-corrector", [user("x")]) == "fine"
    assert clock.sleeps == [5.0]


async def test_what_a_utility_question_cost_is_heard():
    heard: list[Answered] = []
    said = answer("x", modelVersion="m-1", usageMetadata={"promptTokenCount": 3})
    async with Loopback(lambda seen, wire: wire.json(200, said)) as server:
        made = models(server.url, heard=heard.append)
        await ask(made, "web-fetch", [user("x")], role="utility_router")
        assert server.seen[0].json["tools"] == [{"urlContext": {}}]
    assert heard == [Answered("m-1", "utility_router", Usage(input=3), 500)]


async def test_a_utility_stream_is_one_chunk_with_its_sources():
    said = answer("found")
    said["candidates"][0]["groundingMetadata"] = {"webSearchQueries": ["q"]}
    async with Loopback(lambda seen, wire: wire.json(200, said)) as server:
        made = models(server.url)
        req = request(model="web-search", role="utility_tool")
        items = [item async for item in made.stream(req)]
        await made.aclose()
        assert server.seen[0].path.endswith("/gemini-3-flash-preview:generateContent")
    assert isinstance(items[0], Chunk) and len(items) == 1
    assert items[0].grounding == {"webSearchQueries": ["q"]}


PICTURE = Blob("image/png", b"x")


async def test_media_are_counted_by_the_service_and_words_without_it():
    async with Loopback(lambda seen, wire: wire.json(200, {"totalTokens": 31})) as server:
        made = models(server.url)
        assert await made.count("flash", [user("look", PICTURE)]) == 31
        assert await made.count("flash", [user("x" * 40)]) == 10
        inside = Reply("a__1", "a", (PICTURE,))
        assert await made.count("gemini-3-flash-preview", [user(inside)]) >= 3000
        await made.aclose()
    (seen,) = server.seen
    assert seen.path == "/v1beta/models/gemini-3.8-flash:countTokens"
    assert [list(part) for part in seen.json["contents"][0]["parts"]] == [["text"], ["inlineData"]]


async def test_a_count_that_fails_is_not_waited_for():
    clock = FakeClock()
    async with Loopback(lambda seen, wire: wire.json(503, {})) as server:
        made = models(server.url, clock=clock)
        with pytest.raises(errors.Overloaded):
            await made.count("flash", [user(PICTURE)])
        await made.aclose()
    assert (clock.sleeps, len(server.seen)) == ([], 1)


@pytest.mark.parametrize(
    ("name", "size"), [("auto", 1_048_576), ("models/gemma-4-31b-it", 256_000), ("own", 1_048_576)]
)
def test_limits_are_known_for_every_name(name, size):
    assert models().limits(name) == Limits(size)


async def test_the_waits_of_a_utility_stream_are_announced_too():
    script = [lambda seen, wire: wire.json(503, {}), *says("fine")]
    async with Loopback(script) as server:
        made = models(server.url)
        req = request(model="web-search", role="utility_tool")
        items = [type(item) async for item in made.stream(req)]
        await made.aclose()
    assert items == [Retried, Chunk]


async def test_an_error_that_pretends_to_be_an_answer_is_not_an_empty_answer():
    async with Loopback(lambda seen, wire: wire.json(200, {"error": {"code": 404}})) as server:
        with pytest.raises(errors.ModelNotFound):
            await ask(models(server.url), "edit-corrector", [user("x")])
