import asyncio
import json

import pytest

from engine.model.fakes import MODEL, FakeClock, answer, collect, models, request, text_in, user
from gemini_cli.engine.model import Identity, ModelSettings, RetryPolicy
from gemini_cli.ground.net.exchange import Timeouts
from gemini_cli.protocol import errors
from gemini_cli.protocol.messages import Blob, Reply, Text
from gemini_cli.protocol.model import Chunk, Retried
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


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
DAILY = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}


async def run(script, clock=None, **more):
    clock = clock or FakeClock()
    async with Loopback(script) as server:
        made = models(server.url, clock=clock, jitter=lambda: 0.5, **more)
        return await collect(made), server, clock


async def failure(script, kind=errors.ModelError, **more):
    with pytest.raises(kind) as caught:
        await run(script, **more)
    return caught.value


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


async def test_a_busy_service_is_asked_again_and_each_wait_is_announced_first():
    script = [fails(503, error(503, "overloaded")), fails(429, error(429)), says(answer())]
    items, _, clock = await run(script)
    assert [type(i) for i in items] == [Retried, Retried, Chunk]
    first = items[0]
    assert (first.attempt, first.max_attempts, first.delay_ms) == (1, 10, 5000)
    assert (first.status, first.error_kind, first.model) == (503, "overloaded", MODEL)
    assert "overloaded" in first.error and first.latency_ms > 0
    assert clock.sleeps == [5.0, 10.0]


async def test_the_delay_a_service_asks_for_is_kept_and_a_short_one_does_not_hurry():
    script = [
        fails(429, error(429, "slow", RETRY_INFO)),
        fails(429, error(429), retry_after="2"),
        says(answer()),
    ]
    _, _, clock = await run(script)
    assert clock.sleeps == pytest.approx([34.5 * 1.1, 30 * 1.1])


async def test_the_longest_wait_is_capped_and_the_last_attempt_is_final():
    clock = FakeClock()
    found = await failure([fails(500, error(500, "boom"))] * 10, errors.Overloaded, clock=clock)
    assert clock.sleeps == [5, 10, 20, 30, 30, 30, 30, 30, 30]
    assert (found.status, "boom" in str(found)) == (500, True)


async def test_fewer_attempts_are_respected_and_more_than_ten_are_not():
    few = ModelSettings(retry=RetryPolicy(max_attempts=2))
    clock = FakeClock()
    await failure([fails(500, {})] * 2, clock=clock, settings=few)
    assert len(clock.sleeps) == 1
    many = ModelSettings(retry=RetryPolicy(max_attempts=99))
    clock = FakeClock()
    await failure([fails(500, {})] * 10, clock=clock, settings=many)
    assert len(clock.sleeps) == 9


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, error(400, "bad field"), errors.BadRequest),
        (400, error(400, "API key not valid. Please pass a valid API key."), errors.Unauthorized),
        (400, error(400, "The input token count (9) exceeds the maximum"), errors.ContextTooLong),
        (401, error(401), errors.Unauthorized),
        (403, error(403), errors.Forbidden),
        (404, error(404), errors.ModelNotFound),
        (413, error(413), errors.ContextTooLong),
        (418, {}, errors.BadRequest),
        (429, error(429, "daily", RETRY_INFO, DAILY), errors.QuotaExhausted),
    ],
)
async def test_what_waiting_cannot_mend_is_not_repeated(status, body, kind):
    clock = FakeClock()
    found = await failure([fails(status, body)], kind, clock=clock)
    assert (clock.sleeps, found.status, found.model) == ([], status, MODEL)


async def test_a_server_that_never_answers_stalls_and_is_asked_again():
    async def stalls(seen, wire):
        await wire.stall()

    times = Timeouts(connect=20, first_byte=0.2, idle=20)
    items, _, clock = await run([stalls, says(answer())], timeouts=times)
    assert [type(i) for i in items] == [Retried, Chunk]
    assert (items[0].error_kind, clock.sleeps) == ("stalled", [5.0])


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


async def cut(seen, wire):
    await wire.start_stream()
    wire.cut()


async def damaged(seen, wire):
    await wire.answer(200, b"data: {\n\n", content_type="text/event-stream")


async def excuse(seen, wire):
    await wire.events(error(503, "overloaded"))


@pytest.mark.parametrize("begin", [cut, damaged, excuse])
async def test_a_stream_that_fails_before_its_first_piece_counts_as_not_connected(begin):
    items, _, clock = await run([begin, says(answer())])
    assert ([type(i) for i in items], clock.sleeps) == ([Retried, Chunk], [5.0])


async def test_an_error_in_the_middle_of_a_stream_is_raised_as_what_it_is():
    script = says(answer("a", None), error(503, "overloaded now"))
    found = await failure(script, errors.Overloaded)
    assert "overloaded now" in str(found)


async def test_a_refused_prompt_is_not_repeated():
    clock = FakeClock()
    found = await failure(
        [says({"promptFeedback": {"blockReason": "SAFETY"}})], errors.Blocked, clock=clock
    )
    assert (found.reason, clock.sleeps) == ("SAFETY", [])


async def test_an_empty_answer_comes_through_for_the_loop_to_judge():
    items, _, _ = await run(says())
    assert items == []


async def test_a_log_in_page_is_not_taken_for_an_answer():
    async def script(seen, wire):
        await wire.answer(200, b"<html>Sign in</html>", content_type="text/html")

    found = await failure(script, errors.BadRequest)
    assert "web page" in str(found) and "GOOGLE_GEMINI_BASE_URL" in str(found)


async def test_nobody_at_home_is_offline_and_says_where():
    async with Loopback(says()) as server:
        url = server.url
    clock = FakeClock()
    with pytest.raises(errors.Offline, match="connection refused"):
        await collect(models(url, clock=clock))
    assert len(clock.sleeps) == 9


async def test_network_failures_are_not_repeated_when_the_person_says_so():
    async with Loopback(says()) as server:
        url = server.url
    clock = FakeClock()
    settings = ModelSettings(retry=RetryPolicy(network=False))
    with pytest.raises(errors.Offline):
        await collect(models(url, clock=clock, settings=settings))
    assert clock.sleeps == []


async def test_cancelling_interrupts_the_wait_between_attempts():
    class Patient(FakeClock):
        async def sleep(self, seconds: float) -> None:
            waiting.set()
            await asyncio.Event().wait()

    waiting = asyncio.Event()
    async with Loopback(fails(503, {})) as server:
        made = models(server.url, clock=Patient())
        task = asyncio.create_task(collect(made))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 1)


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
        await asyncio.wait_for(gone.wait(), 2)
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


async def test_a_connection_the_server_closed_while_idle_costs_no_attempt():
    async def once(seen, wire):
        await wire.events(answer())
        wire.cut()

    async with Loopback(once) as server:
        made = models(server.url)
        for _ in range(3):
            items = [item async for item in made.stream(request())]
            assert [type(item) for item in items] == [Chunk]
        await made.aclose()
        assert server.connections == 3


@pytest.mark.parametrize(
    ("name", "nests"), [("gemini-3-flash-preview", True), ("gemini-3.8-flash", False)]
)
async def test_pictures_in_replies_go_where_each_model_wants_them(name, nests):
    picture = Reply("read_file__1", "read_file", (Blob("image/png", b"x"),))
    async with Loopback(says(answer())) as server:
        await collect(models(server.url), request(user(picture), model=name))
        parts = server.seen[0].json["contents"][0]["parts"]
    assert ("parts" in parts[0]["functionResponse"], len(parts)) == (nests, 1 if nests else 2)


async def test_a_refusal_is_told_by_its_status_though_its_body_breaks_off():
    async def script(seen, wire):
        await wire.raw(b"HTTP/1.1 404 X\r\ncontent-length: 99\r\n\r\n{")
        wire.cut()

    await failure(script, errors.ModelNotFound)


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


async def drain(made) -> str:
    return text_in([item async for item in made.stream(request())])


def streamed(*pieces: bytes):
    async def script(seen, wire):
        await wire.start_stream()
        for piece in pieces:
            await wire.piece(piece)
        await wire.end_stream()

    return script


@pytest.mark.parametrize("indent", [None, 2])
async def test_an_error_written_bare_into_a_stream_is_not_taken_for_a_broken_off_answer(indent):
    bare = json.dumps(error(503, "overloaded now"), indent=indent).encode()
    said = b"data: " + json.dumps(answer("a", None)).encode() + b"\n\n"
    found = await failure(streamed(said, bare), errors.Overloaded)
    assert "overloaded now" in str(found) and found.status == 503


async def test_an_answer_nobody_declared_as_json_is_read_all_the_same():
    body = json.dumps([answer("a", None), answer("b")]).encode()
    items, _, _ = await run(streamed(body))
    assert text_in(items) == "ab"


async def test_plain_words_instead_of_events_are_told_at_once_and_not_shown():
    clock = FakeClock()
    found = await failure([streamed(b"Denied by policy")], errors.BadRequest, clock=clock)
    assert "GOOGLE_GEMINI_BASE_URL" in str(found) and "Denied" not in str(found)


@pytest.mark.parametrize("name", ["br", "x-gzip", "gzip, br"])
async def test_a_body_in_an_unknown_encoding_is_not_an_empty_answer(name):
    async def script(seen, wire):
        await wire.answer(200, b"\x0b\x02\x80hi\x03", content_encoding=name)

    found = await failure([script], errors.BadRequest)
    assert repr(name.split(", ")[-1]) in str(found)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (b'"a\xff"', "a\ufffd"),
        (b'"a\\ud83d"', "a\ufffd"),
        (b'"a\tb"', "a\tb"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"a","avgLogprobs":NaN', "a"),
        (b'"a","score":1e999', "a"),
    ],
)
async def test_what_a_browser_would_read_is_no_damaged_answer(said, text):
    piece = b'data: {"candidates":[{"content":{"parts":[{"text":%s}]}}]}\n\n' % said
    items, _, _ = await run(streamed(piece))
    assert text_in(items) == text


async def test_an_answer_nested_beyond_reason_is_damaged_and_no_bug():
    await failure([streamed(b"data: " + b"[" * 9000 + b"]" * 9000 + b"\n\n")] * 10)
    for depth in (9000, 90_000):
        nested = error(400, '{"error":' * depth)
        assert (await failure([fails(400, nested)], errors.BadRequest)).status == 400


async def test_a_service_that_repeats_the_key_does_not_put_it_into_the_log():
    env = {
        "GEMINI_API_KEY": "sk-very-secret",
        "GEMINI_API_KEY_AUTH_MECHANISM": "bearer",
        "GEMINI_CLI_CUSTOM_HEADERS": "X-Gate: Token other-secret",
    }
    said = "got 'Bearer sk-very-secret', sk-very-secret and other-secret"
    for script in (fails(400, error(400, said)), says(answer("a", None), error(400, said))):
        found = await failure([script], errors.BadRequest, env=env)
        assert "secret" not in str(found) and "[key]" in str(found)
    refused = {"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": said}}
    found = await failure([says(refused)], errors.Blocked, env=env)
    assert "secret" not in str(found) and "[key]" in str(found)


async def test_a_key_of_a_letter_or_two_does_not_riddle_the_message():
    found = await failure([fails(400, error(400, "xylophone"))], env={"GEMINI_API_KEY": "x"})
    assert "xylophone" in str(found)


async def test_a_service_cannot_steer_the_terminal_with_its_refusal():
    said = "bad \x1b[2J\x1b]0;title\x07 \u202eend\x9b\x00"
    blocked = {"promptFeedback": {"blockReason": "SA\nFE\x1b[31m", "blockReasonMessage": said}}
    for script in (fails(400, error(400, said)), says(blocked)):
        found = str(await failure([script]))
        assert found.isprintable() and "end" in found


async def test_a_proxy_that_wants_a_password_says_where_to_write_it():
    found = await failure([fails(407, {})], errors.BadRequest)
    assert "HTTPS_PROXY" in str(found)
