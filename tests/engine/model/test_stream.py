"""One request and its answer: what goes over the wire, what comes out, and when it ends."""

import asyncio

import pytest

from engine.model.asking import drain, error, failure, run, says
from engine.model.fakes import MODEL, FakeClock, answer, collect, models, request, text_in, user
from gemini_cli.engine.model import Identity
from gemini_cli.ground.net.exchange import Timeouts
from gemini_cli.protocol import errors
from gemini_cli.protocol.messages import Blob, Reply, Text
from ground.net.loopback import Loopback


async def test_an_answer_streams_in_pieces_over_the_documented_request():
    script = says(answer("hel", None), answer("lo"))
    items, server, _ = await run(script, identity=Identity(installation_id="me"))
    assert [(text_in([i]), i.finish) for i in items] == [("hel", None), ("lo", "STOP")]
    seen = server.seen[0]
    assert seen.path == f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
    assert seen.json == {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "generationConfig": {
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 8192},
        },
    }
    assert seen.headers["x-goog-api-key"] == "key"
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["user-agent"].startswith("GeminiCLI-tui/")
    assert f"/{MODEL} (" in seen.headers["user-agent"]
    assert seen.headers["x-gemini-api-privileged-user-id"] == "me"
    assert "gl-python/" in seen.headers["x-goog-api-client"]


async def test_gzip_comments_names_and_a_missing_last_blank_line_are_understood():
    async def script(seen, wire):
        data = b': hello\n\nevent: message\ndata: {"candidates":\ndata: []}\n\ndata: [DONE]\n\n'
        last = b'data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}'
        await wire.answer(200, data + last, content_type="text/event-stream")

    items, _, _ = await run(script)
    assert text_in(items) == "x"
    async with Loopback(lambda seen, wire: wire.gzipped(answer("zip"))) as server:
        assert text_in(await collect(models(server.url))) == "zip"


async def test_nothing_is_sent_before_the_first_item_is_asked_for():
    async with Loopback(says(answer())) as server:
        made = models(server.url)
        stream = made.stream(request())
        await stream.aclose()
        await made.aclose()
        assert server.seen == []


async def test_a_stream_that_falls_silent_ends_as_stalled_after_its_pieces():
    async def script(seen, wire):
        await wire.start_stream()
        await wire.event(answer("a", None))
        await wire.stall()

    times = Timeouts(connect=20, first_byte=20, idle=0.1)
    found = await failure(script, errors.Stalled, timeouts=times)
    assert "stopped in the middle" in str(found)


@pytest.mark.parametrize("how", ["cut", "reset"])
async def test_a_connection_lost_in_the_answer_is_unavailable_and_not_an_end(how):
    async def script(seen, wire):
        await wire.start_stream()
        await wire.event(answer("a", None))
        getattr(wire, how)()

    async with Loopback(script) as server:
        made = models(server.url)
        items = []
        with pytest.raises(errors.Unavailable):
            async for item in made.stream(request()):
                items.append(item)
        await made.aclose()
    assert text_in(items) == "a"


@pytest.mark.parametrize("data", [b'data: {"candi\n\n', b"data: [1]\n\n", b'data: {"a":'])
async def test_a_damaged_piece_is_unavailable(data):
    async def script(seen, wire):
        await wire.start_stream()
        await wire.event(answer("a", None))
        await wire.piece(data)
        await wire.end_stream()

    clock = FakeClock()
    found = await failure([script], errors.Unavailable, clock=clock)
    assert "candi" not in str(found) and clock.sleeps == []


async def test_an_empty_answer_comes_through_for_the_loop_to_judge():
    items, _, _ = await run(says())
    assert items == []


async def test_closing_the_stream_early_hangs_up_on_the_server():
    gone = asyncio.Event()

    async def script(seen, wire):
        await wire.start_stream()
        await wire.event(answer("a", None))
        await wire.stall()
        gone.set()

    async with Loopback(script) as server:
        made = models(server.url)
        stream = made.stream(request())
        assert text_in([await anext(stream)]) == "a"
        await stream.aclose()
        await asyncio.wait_for(gone.wait(), 20)
        await made.aclose()


async def test_one_connection_serves_all_steps_of_a_conversation():
    async with Loopback(says(answer())) as server:
        made = models(server.url)
        for _ in range(3):
            assert text_in([i async for i in made.stream(request())]) == "hello"
        await made.aclose()
        assert server.connections == 1


async def test_the_request_settings_are_laid_over_those_of_the_model():
    async with Loopback(says(answer())) as server:
        made = models(server.url)
        req = request(
            user(Text("hi")),
            model="models/gemini-2.5-flash",
            config={"temperature": 0.1, "thinkingConfig": {"thinkingBudget": 1}},
            system="sys",
            tools=({"name": "ls"},),
            tool_config={"functionCallingConfig": {"mode": "ANY"}},
        )
        await collect(made, req)
        assert server.seen[0].path.startswith("/v1beta/models/gemini-2.5-flash:")
        body = server.seen[0].json
    assert body["generationConfig"] == {
        "temperature": 0.1,
        "topP": 0.95,
        "topK": 64,
        "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 1},
    }
    assert list(body) == [
        "contents",
        "systemInstruction",
        "tools",
        "toolConfig",
        "generationConfig",
    ]


async def test_a_model_name_cannot_reach_another_path():
    async with Loopback(says(answer())) as server:
        await collect(models(server.url), request(model="../../x?key=1#\n"))
        path = server.seen[0].path
    assert path == "/v1beta/models/..%2F..%2Fx%3Fkey%3D1%23:streamGenerateContent?alt=sse"


async def test_a_gateway_that_sends_one_array_instead_of_events_is_understood():
    pieces = [answer("a", None), answer("b")]
    async with Loopback(lambda seen, wire: wire.json(200, pieces)) as server:
        assert text_in(await collect(models(server.url))) == "ab"
    async with Loopback(lambda seen, wire: wire.json(200, error(429))) as server:
        with pytest.raises(errors.RateLimited):
            await collect(models(server.url))


@pytest.mark.parametrize(
    ("name", "nests"), [("gemini-3-flash-preview", True), ("gemini-3.8-flash", False)]
)
async def test_pictures_in_replies_go_where_each_model_wants_them(name, nests):
    picture = Reply("read_file__1", "read_file", (Blob("image/png", b"x"),))
    async with Loopback(says(answer())) as server:
        await collect(models(server.url), request(user(picture), model=name))
        parts = server.seen[0].json["contents"][0]["parts"]
    assert ("parts" in parts[0]["functionResponse"], len(parts)) == (nests, 1 if nests else 2)


async def test_cancelling_at_any_moment_leaves_the_connections_in_order():
    async def turns(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)

    async with Loopback(says(answer("a", None), answer("b"))) as server:
        made = models(server.url)
        for moment in range(60):
            task = asyncio.create_task(drain(made))
            await turns(moment)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled() or task.result() == "ab"
            assert await asyncio.wait_for(drain(made), 5) == "ab"
        await made.aclose()
