import pytest

from engine.model.fakes import FakeClock, answer, models, request, text_in
from gemini_cli.protocol import errors
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import Chunk, Retried
from gemini_cli.protocol.session import SessionView
from ground.net.loopback import Loopback

PRO, FLASH = "gemini-3.1-pro-preview", "gemini-3.8-flash"
NO_QUOTA = {"error": {"code": 429, "message": "Quota exceeded, limit: 0"}}
BUSY = {"error": {"code": 503, "message": "overloaded"}}


def service(**bodies):
    """Refuses the models named `pro` or `flash` with these bodies and answers for the others."""

    async def script(seen, wire):
        model = PRO if PRO in seen.path else FLASH
        body = bodies.get("pro" if model == PRO else "flash")
        if body is None:
            await wire.events(answer(model))
        else:
            await wire.json(body["error"]["code"], body)

    return Loopback(script)


def view(model: str = "auto", prompt_id: str = "p") -> SessionView:
    return SessionView("s", "/", Mode.DEFAULT, model, prompt_id=prompt_id)


async def step(made, model: str = "auto", prompt_id: str = "p") -> list:
    choice = await made.choose(view(model, prompt_id))
    return [i async for i in made.stream(request(model=choice.model, prompt_id=prompt_id))]


async def test_auto_goes_on_with_the_next_model_when_the_best_has_no_quota():
    async with service(pro=NO_QUOTA) as server:
        made = models(server.url)
        items = await step(made)
        assert [type(i) for i in items] == [Retried, Chunk]
        assert (text_in(items), items[0].model, items[0].delay_ms) == (FLASH, PRO, 0)
        assert "limit: 0" in items[0].error and f"{FLASH} takes over" in items[0].error
        choice = await made.choose(view(prompt_id="next"))
        assert (choice.model, choice.source) == (FLASH, "agent-router/fallback")
        assert len(server.seen) == 2
        await made.aclose()


async def test_a_busy_model_gets_three_attempts_before_another_takes_over():
    clock = FakeClock()
    async with service(pro=BUSY) as server:
        made = models(server.url, clock=clock, jitter=lambda: 0.5)
        items = await step(made)
        assert [type(i) for i in items] == [Retried, Retried, Retried, Chunk]
        assert [i.attempt for i in items[:-1]] == [1, 2, 3]
        assert (clock.sleeps, text_in(items)) == ([5.0, 10.0], FLASH)
        await made.aclose()


async def test_a_busy_model_is_tried_again_after_half_a_minute_and_one_without_quota_is_not():
    for body, expected in ((BUSY, PRO), (NO_QUOTA, FLASH)):
        clock = FakeClock()
        async with service(pro=body) as server:
            made = models(server.url, clock=clock)
            await step(made)
            assert (await made.choose(view())).model == FLASH
            clock.seconds += 31
            assert (await made.choose(view())).model == expected
            await made.aclose()


async def test_when_the_last_model_fails_too_its_error_is_told():
    async with service(pro=NO_QUOTA, flash=NO_QUOTA) as server:
        made = models(server.url)
        with pytest.raises(errors.QuotaExhausted, match=FLASH):
            await step(made)
        assert len(server.seen) == 2
        await made.aclose()


async def test_a_model_somebody_named_is_never_replaced():
    async with service(pro=NO_QUOTA) as server:
        made = models(server.url)
        await made.choose(view("auto", "other"))
        for name in (PRO, "pro"):
            with pytest.raises(errors.QuotaExhausted):
                await step(made, name)
            assert (await made.choose(view(name))).model == PRO
        assert len(server.seen) == 2
        await made.aclose()


@pytest.mark.parametrize("code", [400, 401, 403])
async def test_what_another_model_cannot_mend_does_not_switch(code):
    async with service(pro={"error": {"code": code, "message": "no"}}) as server:
        made = models(server.url)
        with pytest.raises(errors.ModelError):
            await step(made)
        assert len(server.seen) == 1
        await made.aclose()


async def test_an_answer_that_broke_off_is_not_continued_by_another_model():
    async def script(seen, wire):
        await wire.events(answer("half", None), BUSY)

    async with Loopback(script) as server:
        made = models(server.url)
        with pytest.raises(errors.Overloaded):
            await step(made)
        assert (await made.choose(view())).model == PRO
        assert len(server.seen) == 1
        await made.aclose()


async def test_the_last_resort_is_asked_again_although_it_had_no_quota():
    clock = FakeClock()
    async with service(pro=BUSY, flash=NO_QUOTA) as server:
        made = models(server.url, clock=clock, jitter=lambda: 0.5)
        for _ in range(2):
            with pytest.raises(errors.QuotaExhausted, match=FLASH):
                await step(made)
            clock.seconds += 31
        assert len(server.seen) == 2 * (3 + 1)
        await made.aclose()
