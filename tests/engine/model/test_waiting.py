"""What is asked again, how long we wait for it, and what waiting cannot mend."""

import asyncio

import pytest

from engine.model.asking import error, fails, failure, run, says
from engine.model.fakes import MODEL, FakeClock, answer, collect, models, request
from gemini_cli.engine.model import ModelSettings, RetryPolicy
from gemini_cli.ground.net.exchange import Timeouts
from gemini_cli.protocol import errors
from gemini_cli.protocol.model import Chunk, Retried
from ground.net.loopback import Loopback

RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


DAILY = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}


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
            await asyncio.wait_for(task, 20)


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


async def test_a_refusal_is_told_by_its_status_though_its_body_breaks_off():
    async def script(seen, wire):
        await wire.raw(b"HTTP/1.1 404 X\r\ncontent-length: 99\r\n\r\n{")
        wire.cut()

    assert isinstance(await failure(script, errors.ModelNotFound), errors.ModelNotFound)
