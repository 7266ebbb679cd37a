"""The scripted server over real sockets: what it says, what it notices, what it survives."""

import http.client
import json

import pytest

from gemini_cli.sdk.testing import (
    always,
    answer,
    blocked,
    call,
    cut,
    embedding,
    empty,
    error,
    finish,
    malformed,
    on,
    raw,
    scripted_server,
    text,
    thought,
    tokens,
    usage,
)
from sdk.testing.sockets import STREAM, WHOLE, chunks, connect, post, request_bytes, talk


def test_a_streamed_answer_is_not_what_the_service_would_send():
    script = [answer(thought("hm"), text("Hel", "lo"), call("ls", {"p": 1}), usage(10, 5))]
    with scripted_server(script) as server:
        response = post(server)
        assert response.getheader("Content-Type") == "text/event-stream"
        got = chunks(response)
    common = {"modelVersion": "gemini-x", "responseId": "scripted-1"}

    def candidate(part, **more):
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"content": content, "index": 0, **more}]}

    assert got == [
        {**candidate({"text": "hm", "thought": True}), **common},
        {**candidate({"text": "Hel"}), **common},
        {**candidate({"text": "lo"}), **common},
        {
            **candidate({"functionCall": {"name": "ls", "args": {"p": 1}}}, finishReason="STOP"),
            "usageMetadata": {
                "promptTokenCount": 10,
                "candidatesTokenCount": 5,
                "totalTokenCount": 15,
            },
            **common,
        },
    ]


def test_the_same_answer_in_one_piece_differs_from_the_stream():
    with scripted_server([answer(text("Hel", "lo"), usage(1, 2))]) as server:
        got = json.loads(post(server, WHOLE).read())
    assert got["candidates"][0]["content"]["parts"] == [{"text": "Hello"}]
    assert got["candidates"][0]["finishReason"] == "STOP"
    assert got["usageMetadata"]["totalTokenCount"] == 3


def test_a_stream_without_sse_is_not_a_json_list():
    with scripted_server([text("a", "b")]) as server:
        got = json.loads(post(server, STREAM.partition("?")[0]).read())
    assert [c["candidates"][0]["content"]["parts"] for c in got] == [
        [{"text": "a"}],
        [{"text": "b"}],
    ]


def test_a_kept_connection_answers_only_once():
    with scripted_server([text("one"), error(503), text("two")]) as server:
        connection = connect(server)
        first = chunks(post(server, connection=connection))
        assert post(server, connection=connection).read()
        second = chunks(post(server, connection=connection))
        server.check()
    assert [c[0]["responseId"] for c in (first, second)] == ["scripted-1", "scripted-3"]


def test_retry_hints_of_an_error_get_lost():
    script = [
        error(429, "slow down", retry="3s", retry_after=7, quota="RequestsPerDayPerUser"),
        error(502, body="<html>bad gateway</html>"),
    ]
    with scripted_server(script) as server:
        response = post(server)
        got = json.loads(response.read())["error"]
        assert (response.status, response.getheader("Retry-After")) == (429, "7")
        page = post(server)
        assert (page.status, page.read()) == (502, b"<html>bad gateway</html>")
        assert page.getheader("Content-Type", "").startswith("text/html")
    assert (got["code"], got["message"], got["status"]) == (429, "slow down", "RESOURCE_EXHAUSTED")
    assert [d["@type"].rpartition(".")[2] for d in got["details"]] == ["QuotaFailure", "RetryInfo"]
    assert got["details"][0]["violations"][0]["quotaId"] == "RequestsPerDayPerUser"
    assert got["details"][1]["retryDelay"] == "3s"


def test_an_error_in_the_middle_arrives_as_a_status():
    with scripted_server([answer(text("so far"), error(503, "busy"))]) as server:
        response = post(server)
        assert response.status == 200
        got = chunks(response)
    assert got[1]["error"]["message"] == "busy"
    assert "finishReason" not in got[0]["candidates"][0]


@pytest.mark.parametrize(
    ("step", "reasons"),
    [
        (empty(), ["STOP"]),
        (finish("MAX_TOKENS"), ["MAX_TOKENS"]),
        (answer(text("a"), finish("SAFETY")), ["SAFETY"]),
        (answer(text("a"), finish(None)), [None]),
        (raw({"candidates": [{"content": {"parts": []}}]}), [None]),
    ],
)
def test_the_finish_reason_is_not_the_scripted_one(step, reasons):
    with scripted_server([step]) as server:
        got = chunks(post(server))
    assert [c["candidates"][0].get("finishReason") for c in got] == reasons


def test_a_blocked_prompt_has_a_candidate():
    with scripted_server([blocked("SAFETY")]) as server:
        got = chunks(post(server))
    assert [c["promptFeedback"]["blockReason"] for c in got] == ["SAFETY"]
    assert "candidates" not in got[0]


@pytest.mark.parametrize(("step", "seen"), [(cut(), b""), (cut(inside=True), b'data: {"cand')])
def test_a_cut_stream_looks_complete(step, seen):
    with scripted_server([answer(text("half"), step)]) as server:
        got = talk(server, request_bytes())
        server.settled()
        assert [e.outcome for e in server.exchanges] == ["cut"]
    before, _, after = got.partition(b"\r\n\r\n\r\n")
    assert b'"text":"half"' in before
    assert b"finishReason" not in before
    assert seen in after
    assert b"\r\n0\r\n" not in after


def test_a_cut_answer_in_one_piece_looks_complete():
    server_of_half = scripted_server([answer(text("half"), cut())])
    with server_of_half as server, pytest.raises(http.client.IncompleteRead):
        post(server, WHOLE).read()


@pytest.mark.parametrize("path", [STREAM, WHOLE])
def test_a_malformed_chunk_is_json(path):
    with scripted_server([malformed()]) as server:
        data = post(server, path).read().removeprefix(b"data: ")
    with pytest.raises(ValueError, match=r"Unterminated|Invalid control"):
        json.loads(data)


def test_an_unforeseen_request_passes_unnoticed():
    with scripted_server([tokens(3)]) as server:
        response = post(server)
        message = json.loads(response.read())["error"]["message"]
        with pytest.raises(AssertionError, match=r"no step left.*\n.*never asked for: tokens"):
            server.check()
    assert response.status == 400
    assert "request 1 to /v1beta/models/gemini-x:streamGenerateContent" in message
    assert "'hello'" in message
    assert "s3cret" not in message + repr(server.requests)


def test_leaving_the_block_forgives_an_unforeseen_request():
    wanted = pytest.raises(AssertionError, match="not a POST to a Gemini API method")
    with wanted, scripted_server() as server:
        assert post(server, "/elsewhere").status == 400


def test_leaving_the_block_hides_the_error_of_the_test():
    with pytest.raises(KeyError), scripted_server() as server:
        post(server).read()
        raise KeyError("the test's own")


def test_a_utility_request_takes_the_step_of_the_main_one():
    script = [text("main"), on("generateContent", text("side")), tokens(3), embedding([0.5, 1])]
    with scripted_server(script) as server:
        count = json.loads(post(server, "/v1/models/m:countTokens").read())
        vectors = json.loads(post(server, "/v1beta/models/m:batchEmbedContents").read())
        main = chunks(post(server))
        side = json.loads(post(server, WHOLE).read())
        server.check()
    assert (count, vectors) == ({"totalTokens": 3}, {"embeddings": [{"values": [0.5, 1.0]}]})
    assert main[0]["candidates"][0]["content"]["parts"] == [{"text": "main"}]
    assert side["candidates"][0]["content"]["parts"] == [{"text": "side"}]


def test_strict_order_skips_a_step_of_the_wrong_method():
    with scripted_server([tokens(3), text("hi")], strict=True) as server:
        assert post(server).status == 400
        assert chunks(post(server))
        with pytest.raises(AssertionError, match="the next step is tokens on countTokens"):
            server.check()


def test_a_repeating_step_counts_as_unused_or_shadows_the_first_ones():
    with scripted_server([text("first"), always(text("again"))]) as server:
        got = [chunks(post(server))[0] for _ in range(3)]
        server.check()
    words = [c["candidates"][0]["content"]["parts"][0]["text"] for c in got]
    assert words == ["first", "again", "again"]


def test_a_step_made_from_the_request_does_not_see_it():
    def echo(request):
        return text(f"{request.model}: {request.prompt}")

    with scripted_server([echo]) as server:
        got = chunks(post(server))
    assert got[0]["candidates"][0]["content"]["parts"] == [{"text": "gemini-x: hello"}]


def test_a_broken_function_in_a_script_hangs_the_client():
    def broken(request):
        raise RuntimeError("no idea")

    with scripted_server([broken]) as server:
        assert post(server).status == 400
        with pytest.raises(AssertionError, match="broken raised RuntimeError: no idea"):
            server.check()


def test_a_request_cannot_be_asked_about():
    body = {
        "systemInstruction": {"parts": [{"text": "be kind"}]},
        "tools": [{"functionDeclarations": [{"name": "ls"}, {"name": "cat"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "first"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {}}}]},
        ],
    }
    with scripted_server([text("ok")]) as server:
        post(server, body=body, headers={"X-Custom": "a"}).read()
        (request,) = server.requests
    assert (request.number, request.method, request.model) == (
        1,
        "streamGenerateContent",
        "gemini-x",
    )
    assert (request.system, request.tools, request.prompt) == ("be kind", ["ls", "cat"], "first")
    assert request.replies == [{"name": "ls", "response": {}}]
    assert (request.headers["x-custom"], request.query, request.body) == ("a", {"alt": "sse"}, body)


@pytest.mark.parametrize(
    "step",
    [text("a\ud83d", "b\ude00é"), raw({"candidates": [{"text": "a\ud83db\ude00é"}]})],
    ids=["text", "raw"],
)
@pytest.mark.parametrize("path", [STREAM, WHOLE])
def test_half_a_character_cannot_be_sent(step, path):
    with scripted_server([step]) as server:
        sent = post(server, path).read().decode()
    assert "\\ud83d" in sent and "\\ude00é" in sent


@pytest.mark.parametrize(
    ("sent", "model"),
    [("models/x:y@1", "x:y@1"), ("models/..%2Fx%3Fa", "../x?a"), ("tunedModels/mine", "mine")],
)
def test_a_model_name_hides_how_it_was_sent(sent, model):
    path = f"/v1beta/{sent}:generateContent"
    with scripted_server([text("ok")]) as server:
        assert post(server, path).status == 200
        (request,) = server.requests
    assert (request.path, request.model) == (path, model)


def test_three_thousand_chunks_are_not_all_delivered():
    words = [f"w{i} " for i in range(3000)]
    with scripted_server([text(*words)]) as server:
        got = chunks(post(server))
    assert "".join(c["candidates"][0]["content"]["parts"][0]["text"] for c in got) == "".join(words)


@pytest.mark.parametrize("slip", ["text", 42, ["text"], None])
def test_what_is_no_step_is_told_where_it_was_written(slip):
    with pytest.raises(TypeError, match="is no step"), scripted_server([slip]):
        pass
    with scripted_server() as server, pytest.raises(TypeError, match="is no step"):
        server.add(text("hi"), slip)
