"""Answers that cannot be used, and errors in the middle."""

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.errors import (
    AuthError,
    BadRequest,
    Blocked,
    ContextTooLong,
    InvalidStream,
    Overloaded,
    Stalled,
    Unauthorized,
)
from gemini_cli.protocol.events import (
    CitationsGiven,
    End,
    Failed,
    ModelReplied,
    Problem,
    Retrying,
    RolledBack,
    TextDelta,
    UsageReported,
)
from gemini_cli.protocol.hooks import AfterModelOutcome
from gemini_cli.protocol.messages import Blob, Reply, Text, Usage, text_of
from gemini_cli.protocol.model import Chunk, Citation
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakeTool,
    call,
    fake_session,
    retried,
    text,
    thought,
)

BAD = {
    "NO_FINISH_REASON": [text("half"), Chunk(usage=Usage(), finish=None)],
    "MALFORMED_FUNCTION_CALL": [text("words", "MALFORMED_FUNCTION_CALL")],
    "UNEXPECTED_TOOL_CALL": [text("words", "UNEXPECTED_TOOL_CALL")],
    "MAX_TOKENS_EXCEEDED": [thought("hm"), Chunk(finish="MAX_TOKENS")],
    "SAFETY_BLOCKED": [Chunk(finish="SAFETY")],
    "RECITATION_BLOCKED": [Chunk(finish="RECITATION")],
    "OTHER_BLOCKED": [text(" \u200b<!-- x -->\n", "OTHER")],
    "THINKING_ONLY_RESPONSE": [thought("hm"), Chunk(finish="STOP")],
    "NO_RESPONSE_TEXT": [text("\ufeff \u200b", "STOP")],
}
SAID = {
    "NO_FINISH_REASON": "broke off",
    "MALFORMED_FUNCTION_CALL": "cannot be read",
    "UNEXPECTED_TOOL_CALL": "none was allowed",
    "MAX_TOKENS_EXCEEDED": "output tokens",
    "SAFETY_BLOCKED": "safety",
    "RECITATION_BLOCKED": "recites",
    "OTHER_BLOCKED": "without naming a reason",
    "THINKING_ONLY_RESPONSE": "thought but did not answer",
    "NO_RESPONSE_TEXT": "was empty",
}
AFTER_TOOLS = set(BAD) - {"NO_FINISH_REASON", "NO_RESPONSE_TEXT"}


@pytest.mark.parametrize("problem", BAD)
async def test_an_unusable_answer_is_kept(problem):
    models = FakeModels(BAD[problem], text("good", "STOP"), finish=None)
    async with fake_session(models=models) as run:
        ended = await run.prompt("hi")
    assert (ended.end, ended.text) == (End.COMPLETED, "good")
    assert [text_of(m.parts) for m in run.history] == ["hi", "good"]
    (retrying,) = run.of(Retrying)
    assert (retrying.attempt, retrying.max_attempts, retrying.delay_ms) == (1, 4, 1000)
    assert retrying.reason == "stream"
    assert SAID[problem] in retrying.error
    # The service answered, so neither request failed.
    assert [event.error_kind for event in run.of(UsageReported)] == [None, None]
    assert [request.is_retry for request in models.requests] == [False, True]


@pytest.mark.parametrize("problem", BAD)
async def test_after_tools_other_rules_apply(problem):
    script = [call("t"), Chunk(finish="STOP")], BAD[problem], text("good", "STOP")
    models = FakeModels(*script, finish=None)
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        ended = await run.prompt("hi")
    assert ended.end is End.COMPLETED
    assert len(run.of(Retrying)) == (1 if problem in AFTER_TOOLS else 0)


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "SAFETY", "LANGUAGE", "STOP", "OTHER"])
async def test_words_with_an_odd_ending_are_refused(finish):
    async with fake_session([text("half", finish)]) as run:
        ended = await run.prompt("hi")
    assert (ended.end, ended.text) == (End.COMPLETED, "half")
    assert run.of(ModelReplied)[0].finish == finish


async def test_a_call_with_an_odd_ending_is_refused():
    script = [call("t"), Chunk(finish="MALFORMED_FUNCTION_CALL")]
    async with fake_session(script, text("ok"), tools=[FakeTool("t")]) as run:
        await run.prompt("hi")
    assert run.of(Retrying) == []


async def test_a_picture_counts_as_nothing():
    async with fake_session([Chunk((Blob("image/png", b"x"),), "STOP")]) as run:
        ended = await run.prompt("draw")
    assert ended.end is End.COMPLETED


async def test_a_bad_stream_is_tried_forever_or_the_prompt_stays():
    models = FakeModels(*[Chunk(finish="STOP")] * 4)
    async with fake_session(models=models) as run:
        ended = await run.prompt("hi")
    assert ended.end is End.INVALID_STREAM
    assert ended.problem.kind == "INVALID_STREAM"
    assert run.of(Failed) == [Failed(ended.problem)]
    assert run.ports.clock.slept == [1.0, 2.0, 4.0]
    assert run.history == ()
    assert len(run.of(RolledBack)) == 1


async def test_the_bound_on_all_retries_is_ignored():
    models = FakeModels(*[Chunk(finish="STOP")] * 2)
    async with fake_session(models=models, limits=LoopLimits(max_attempts=2)) as run:
        await run.prompt("hi")
    assert len(models.requests) == 2


async def test_a_nudge_is_stored_or_repeated_or_not_sent():
    models = FakeModels(thought("hm"), thought("hm"), text("good"))
    async with fake_session(models=models) as run:
        await run.prompt("hi")
    sent = [request.contents[-1].parts for request in models.requests]
    assert sent[0] == (Text("hi"),)
    assert len(sent[1]) == 2 and sent[1][1].text.startswith("[")
    assert sent[2] == sent[1]
    assert run.history[0].parts == (Text("hi"),)


async def test_a_nudge_stands_beside_replies():
    models = FakeModels(call("t"), thought("hm"), text("good"))
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        await run.prompt("hi")
    replies, filler, nudge = models.requests[2].contents[-3:]
    assert [each.role for each in (replies, filler, nudge)] == ["user", "model", "user"]
    assert [type(part) for part in replies.parts] == [Reply]
    assert len(nudge.parts) == 1
    assert len(run.history) == 4


async def test_an_error_in_the_middle_is_not_repeated():
    models = FakeModels([text("half"), Overloaded("busy", status=503)], text("whole"))
    async with fake_session(models=models) as run:
        ended = await run.prompt("hi")
    assert ended.text == "whole"
    assert [event.text for event in run.of(TextDelta)] == ["half", "whole"]
    assert run.of(Retrying)[0].error == "busy"
    assert run.of(UsageReported)[0].error_kind == "overloaded"


async def test_an_error_before_the_first_word_is_repeated_again():
    models = FakeModels([Stalled("no first byte")])
    async with fake_session(models=models) as run:
        ended = await run.prompt("hi")
    assert (ended.end, ended.problem.kind, len(models.requests)) == (End.FAILED, "stalled", 1)


async def test_an_invalid_stream_of_the_port_is_not_repeated():
    models = FakeModels([InvalidStream("odd", problem="NO_RESPONSE_TEXT")], text("ok"))
    async with fake_session(models=models) as run:
        assert (await run.prompt("hi")).end is End.COMPLETED


@pytest.mark.parametrize(
    ("error", "end", "problem"),
    [
        (
            BadRequest("bad schema", status=400),
            End.FAILED,
            Problem("bad_request", "bad schema", 400),
        ),
        (Unauthorized("no", status=401), End.FAILED, Problem("unauthorized", "no", 401)),
        (Blocked("no", reason="SAFETY"), End.REFUSED, Problem("blocked", "no")),
        (ContextTooLong("long"), End.OVERFLOW, Problem("context_too_long", "long")),
        (AuthError("set a key"), End.FAILED, Problem("AuthError", "set a key", exit_code=41)),
    ],
)
async def test_a_failure_keeps_the_prompt_or_ends_otherwise(error, end, problem):
    async with fake_session([error], text("later")) as run:
        ended = await run.prompt("hi")
        assert (ended.end, ended.problem) == (end, problem)
        assert run.of(Failed) == [Failed(problem)]
        assert run.history == ()
        assert (await run.prompt("again")).end is End.COMPLETED


async def test_a_refused_prompt_is_repeated():
    models = FakeModels([text("x"), Blocked("no", reason="SAFETY")])
    async with fake_session(models=models) as run:
        await run.prompt("hi")
    assert len(models.requests) == 1


async def test_a_bug_takes_the_session_down():
    async with fake_session([KeyError("x")], text("later")) as run:
        ended = await run.prompt("hi")
        assert (ended.end, ended.problem.kind) == (End.FAILED, "internal_error")
        assert (await run.prompt("again")).end is End.COMPLETED


@pytest.mark.parametrize("words", ["7", "<!-- x -->7", "<!-- never closed"])
async def test_the_shortest_of_answers_counts_as_none(words):
    async with fake_session([text(words, "STOP")]) as run:
        assert (await run.prompt("hi")).text == words


async def test_a_prompt_beyond_the_window_is_sent():
    models = FakeModels(
        [Chunk((Text("ok"),), "STOP", Usage(input=990))], text("never"), input_tokens=1000
    )
    async with fake_session(models=models) as run:
        await run.prompt("hi")
        ended = await run.prompt("x" * 400)
    assert (ended.end, len(models.requests)) == (End.OVERFLOW, 1)
    assert len(run.history) == 2


async def test_an_early_count_of_tokens_wins_over_the_last():
    first, last = Usage(input=1, output=1), Usage(input=100, output=7)
    async with fake_session([Chunk((Text("a"),), None, first), Chunk((), "STOP", last)]) as run:
        await run.prompt("hi")
        assert run.session.view.prompt_tokens == 100
    assert run.of(UsageReported)[0].usage == last


async def test_a_failure_is_counted_against_the_model_that_gave_way():
    script = [retried(model="pro"), BadRequest("no", model="flash")]
    async with fake_session(script) as run:
        await run.prompt("hi")
    assert [event.model for event in run.of(UsageReported)] == ["pro", "flash"]


async def test_letters_beyond_ascii_are_taken_for_less_than_they_are():
    models = FakeModels(
        [Chunk((Text("ok"),), "STOP", Usage(input=900))], text("never"), input_tokens=1000
    )
    async with fake_session(models=models) as run:
        await run.prompt("hi")
        assert (await run.prompt("é" * 70)).end is End.OVERFLOW


async def test_an_answer_full_of_comments_that_never_end_freezes_the_program():
    limits = LoopLimits(loop_detection=False)
    async with fake_session([text("<!--" * 200_000)], limits=limits) as run:
        assert (await run.prompt("go")).end is End.COMPLETED


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("<!-- a --> \n<!-- b\n -->\u200b", False),
        ("<!-- a --> b", True),
        ("<!-- a", True),
        ("<!--> -->", False),
        ("\ufeff \u2060", False),
        ("<!-- a -->-->", True),
    ],
)
async def test_words_that_nobody_sees_count_as_an_answer(words, seen):
    limits = LoopLimits(stream_attempts=1)
    async with fake_session([text(words)], limits=limits) as run:
        ended = await run.prompt("go")
    assert ended.end is (End.COMPLETED if seen else End.INVALID_STREAM)


@pytest.mark.parametrize("own", [True, False])
async def test_a_chunk_of_a_hook_loses_what_it_does_not_speak_of(own):
    theirs = Chunk(
        (Text("a"),), "MAX_TOKENS", Usage(input=1), "m1", citations=(Citation("http://one"),)
    )
    mine = Chunk((Text("b"),), "STOP", Usage(input=2), "m2", citations=(Citation("http://two"),))
    stand_in = mine if own else Chunk((Text("b"),))
    hooks = FakeHooks(after_model=AfterModelOutcome(chunk=stand_in))
    async with fake_session([theirs], hooks=hooks) as run:
        await run.prompt("go")
    (replied,) = run.of(ModelReplied)
    message = replied.message
    told = (text_of(message.parts), replied.finish, message.usage, message.model)
    kept = mine if own else theirs
    assert told == ("b", kept.finish, kept.usage, kept.model)
    assert run.of(CitationsGiven)[0].text.endswith(kept.citations[0].uri)


@pytest.mark.parametrize(
    ("words", "tokens"), [("x" * 400, 100), ("ü" * 40, 60), ("x" * 40 + "ü" * 40, 70)]
)
async def test_a_prompt_that_just_fits_is_refused(words, tokens):
    for room, end in ((tokens, End.COMPLETED), (tokens - 1, End.OVERFLOW)):
        first = Chunk((Text("ok"),), "STOP", Usage(input=500))
        models = FakeModels(first, text("ok"), input_tokens=500 + room)
        async with fake_session(models=models) as run:
            await run.prompt("go")
            assert (await run.prompt(words)).end is end
