"""What goes wrong on the way is mended or told in one readable line, never with a traceback."""

import json
from collections.abc import Callable

import pytest
from runner import Cli, Result

from gemini_cli.sdk.testing import (
    Step,
    ThreadedServer,
    always,
    answer,
    blocked,
    call,
    cut,
    empty,
    error,
    finish,
    malformed,
    raw,
    text,
    thought,
)

Serve = Callable[..., ThreadedServer]
DAILY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


def readable(result: Result) -> None:
    assert "Traceback" not in result.err and "object Object" not in result.err
    assert result.last["type"] == "result"


@pytest.mark.parametrize(
    ("step", "status", "word"),
    [
        (error(400, "Unknown field: foo"), 400, "Unknown field"),
        (error(401, "API key not valid"), 401, "GEMINI_API_KEY"),
        (error(403, "Caller may not"), 403, "Caller may not"),
        (error(404, "models/x is not found"), 404, "gemini-2.5-flash"),
        (error(429, "Out of quota", quota=DAILY), 429, "quota"),
        (error(429, "Out of quota", quota=DAILY, retry="2s"), 429, "quota"),
        (error(429, "Wait long", retry="4000s"), 429, "Wait long"),
    ],
)
def test_an_error_that_waiting_does_not_mend_is_told_at_once(
    cli: Cli, serve: Serve, step: Step, status: int, word: str
):
    server = serve(always(step))
    result = cli.stream("-p", "hi")
    readable(result)
    assert (result.code, result.last["status"]) == (1, "error")
    assert result.last["error"]["code"] == status
    assert word in result.last["error"]["message"] and "\n" not in result.last["error"]["message"]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "step",
    [
        error(503, "overloaded"),
        error(503, "overloaded", retry_after=1),
        error(429, "slow down"),
        error(429, "slow down", retry="0.2s"),
        error(429, "slow down", retry_after=1),
        error(500, body="<html>bad gateway</html>"),
    ],
    ids=["503", "503-after", "429", "429-retryinfo", "429-after", "500-html"],
)
def test_an_error_that_passes_is_waited_out(cli: Cli, serve: Serve, step: Step):
    server = serve(step, text("back again"))
    result = cli.run("-m", "gemini-2.5-flash", "-o", "json", "-p", "hi")
    body = json.loads(result.out)
    assert (result.code, body["response"]) == (0, "back again")
    assert len(server.requests) == 2 and "Traceback" not in result.err
    api = body["stats"]["models"]["gemini-2.5-flash"]["api"]
    assert (api["totalRequests"], api["totalErrors"]) == (2, 1)


@pytest.mark.parametrize(
    "step",
    [
        answer(text("half an ans"), cut()),
        answer(text("half"), cut(inside=True)),
        answer(text("half"), malformed()),
        empty(),
        thought("only thinking"),
        answer(text("x"), finish(None)),
        finish("MALFORMED_FUNCTION_CALL"),
        answer(text("half"), error(503, "mid-stream")),
    ],
    ids=["cut", "cut-inside", "malformed", "empty", "thought", "no-finish", "bad-call", "mid-503"],
)
def test_an_unusable_answer_is_asked_for_again(cli: Cli, serve: Serve, step: Step):
    server = serve(step, text("whole answer"))
    result = cli.stream("-p", "hi")
    readable(result)
    assert result.code == 0, result.err
    assert len(server.requests) == 2
    assert result.lines[-2]["content"] == "whole answer"


@pytest.mark.parametrize(
    ("step", "errors"),
    [
        (empty(), {}),
        (thought("hm"), {}),
        (finish("SAFETY"), {}),
        (answer(text("half"), finish(None)), {}),
        (answer(text("half"), cut()), {"unavailable": 1}),
        (answer(text("half"), raw({"error": {"code": 503, "message": "no"}})), {"overloaded": 1}),
    ],
    ids=["empty", "thoughts", "blocked", "unfinished", "cut", "error"],
)
def test_an_answer_without_use_is_counted_as_a_request_that_failed(
    cli: Cli, serve: Serve, step: Step, errors: dict[str, int]
):
    serve(step, text("ok"))
    result = cli.run("-m", "gemini-2.5-flash", "-o", "json", "-p", "hi")
    api = json.loads(result.out)["stats"]["models"]["gemini-2.5-flash"]["api"]
    assert (result.code, api["totalRequests"]) == (0, 2)
    assert (api["totalErrors"], api["errorsByType"]) == (len(errors), errors)


def test_answers_that_stay_empty_end_as_an_invalid_stream(cli: Cli, serve: Serve):
    server = serve(always(empty()))
    result = cli.stream("-p", "hi")
    readable(result)
    assert (result.code, result.last["error"]["type"]) == (1, "INVALID_STREAM")
    assert len(server.requests) == 4


def test_a_refused_prompt_is_not_repeated(cli: Cli, serve: Serve):
    server = serve(always(blocked("SAFETY")))
    result = cli.stream("-p", "hi")
    readable(result)
    assert result.code == 1 and "SAFETY" in result.last["error"]["message"]
    assert len(server.requests) == 1


def test_an_empty_answer_behind_a_tool_is_accepted(cli: Cli, serve: Serve):
    (cli.workspace / "a").write_text("A")
    serve(call("read_file", {"file_path": "a"}), empty())
    assert cli.stream("-p", "hi").code == 0


def test_a_service_that_is_not_there_is_named(cli: Cli):
    cli.settings({"general": {"maxAttempts": 1}})
    cli.url = "http://127.0.0.1:9"
    result = cli.stream("-p", "hi")
    readable(result)
    assert result.code == 1 and "127.0.0.1:9" in result.last["error"]["message"]


def test_text_and_json_tell_an_api_error_too(cli: Cli, serve: Serve):
    serve(always(error(400, "Unknown field: foo")))
    plain = cli.run("-m", "gemini-2.5-flash", "-p", "hi")
    assert plain.code == 1 and plain.out == "" and "Unknown field: foo" in plain.err
    body = cli.run("-m", "gemini-2.5-flash", "-o", "json", "-p", "hi")
    assert body.code == 1
    assert json.loads(body.out)["error"]["code"] == 400
    assert json.loads(body.err)["error"]["code"] == 400


def test_a_model_that_repeats_itself_is_stopped_with_a_warning(cli: Cli, serve: Serve):
    (cli.workspace / "a").write_text("A")
    serve(always(call("read_file", {"file_path": "a"})))
    result = cli.stream("-p", "hi")
    readable(result)
    assert (result.code, result.last["status"]) == (0, "success")
    warning = next(line for line in result.lines if line["type"] == "error")
    assert warning["severity"] == "warning" and "oop" in warning["message"]
    assert "oop" in result.err
