"""Answers no service should give: told at once as what they are, and harmless."""

import json

import pytest

from engine.model.asking import error, fails, failure, run, says
from engine.model.fakes import FakeClock, answer, text_in
from gemini_cli.protocol import errors


async def test_a_log_in_page_is_not_taken_for_an_answer():
    async def script(seen, wire):
        await wire.answer(200, b"<html>Sign in</html>", content_type="text/html")

    found = await failure(script, errors.BadRequest)
    assert "web page" in str(found) and "GOOGLE_GEMINI_BASE_URL" in str(found)


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
