"""Scripts as data: helpers, files, and the same words whichever way they travel."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.sdk.testing import (
    Request,
    ScriptProblem,
    Step,
    always,
    answer,
    call,
    empty,
    error,
    finish,
    on,
    raw,
    read_script,
    stall,
    text,
    thought,
    tokens,
    usage,
    wire,
)

REQUEST = Request(
    number=1,
    method="streamGenerateContent",
    model="m",
    path="/",
    query={},
    headers={},
    body={},
    raw=b"x" * 40,
    at=0.0,
)
words = st.lists(st.text(max_size=8), min_size=1, max_size=5)
spoken = st.builds(lambda parts: text(*parts), words)
thoughts = st.builds(lambda parts: thought(*parts), words)
calls = st.builds(lambda name: call(name, {"a": name}), st.text(min_size=1, max_size=5))


def parts_of(chunks) -> list[dict]:
    return [p for c in chunks for p in c["candidates"][0]["content"]["parts"]]


def said(parts) -> str:
    return "".join(p["text"] for p in parts if "text" in p and not p.get("thought"))


@given(st.lists(spoken | thoughts | calls, max_size=6))
def test_stream_and_whole_answer_say_different_things(steps):
    step = answer(*steps)
    streamed = wire.actions(step, REQUEST)
    whole = wire.body(step, REQUEST)
    got, one = parts_of(streamed), parts_of([whole])
    assert said(got) == said(one)
    assert [p for p in got if "functionCall" in p] == [p for p in one if "functionCall" in p]
    assert streamed[-1]["usageMetadata"] == whole["usageMetadata"]
    finishes = [c["candidates"][0].get("finishReason") for c in streamed]
    assert finishes == [None] * (len(streamed) - 1) + ["STOP"]


def test_a_json_script_means_something_else_than_the_helpers(tmp_path):
    script = tmp_path / "s.json"
    script.write_text(
        json.dumps(
            [
                {"text": ["a", "b"]},
                {"text": "a", "on": "generateContent"},
                {"error": {"code": 429, "retry": "3s"}},
                {
                    "answer": [
                        {"thought": "t"},
                        {"call": {"name": "ls", "args": {"p": 1}}},
                        {"usage": {"prompt": 3}},
                    ]
                },
                "empty",
                {"finish": None},
                {"stall": {"where": "first_byte", "seconds": 1}},
                {"tokens": 3},
                {"raw": [{"x": 1}, {"y": 2}]},
                {"raw": {"x": 1}},
                {"text": "z", "always": True},
            ]
        )
    )
    assert read_script(script) == [
        text("a", "b"),
        on("generateContent", text("a")),
        error(429, retry="3s"),
        answer(thought("t"), call("ls", {"p": 1}), usage(3)),
        empty(),
        finish(None),
        stall("first_byte", seconds=1),
        tokens(3),
        raw({"x": 1}, {"y": 2}),
        raw({"x": 1}),
        always(text("z")),
    ]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", r"s\.json: is not JSON"),
        ("{}", r"s\.json: a script is a JSON list"),
        ("[" * 100_000, r"s\.json: is not JSON"),
        ("[1]", r"s\.json, step 1: a step is an object"),
        ('[{"text": "a"}, {"say": "b"}]', r"step 2: no helper is called 'say'; there are answer"),
        ('[{"text": "a", "call": "b"}]', r"step 1: a step names exactly one helper"),
        ("[{}]", r"step 1: a step names exactly one helper"),
        ('[{"error": {"code": 200}}]', r"step 1: error\(200\): an HTTP error status"),
        ('[{"error": {"cod": 429}}]', r"step 1: .*unexpected keyword argument 'cod'"),
        ('[{"answer": "x"}]', r"step 1: \"answer\" takes a list"),
        ('[{"answer": [{"text": "x"}, 5]}]', r"step 1\.2: a step is an object"),
        ('[{"text": "a", "on": "x"}]', r"step 1: \"on\" must be one of generateContent"),
        ('[{"text": 5}]', r"step 1: "),
        ('[{"call": {"name": 5}}]', r"step 1: "),
        ('[{"stall": "never"}]', r"step 1: "),
    ],
)
def test_a_mistake_in_a_script_is_not_located(tmp_path, content, complaint):
    script = tmp_path / "s.json"
    script.write_text(content)
    with pytest.raises(ScriptProblem, match=complaint):
        read_script(script)


def test_a_missing_or_binary_script_ends_in_a_traceback(tmp_path):
    with pytest.raises(ScriptProblem, match=r"none\.json: cannot be read"):
        read_script(tmp_path / "none.json")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScriptProblem, match=r"b\.json: is not UTF-8"):
        read_script(tmp_path / "b.json")


def test_a_recording_is_played_differently_from_how_it_was_recorded(tmp_path):
    chunk = {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}
    lines = [
        {"method": "generateContentStream", "response": [chunk, chunk]},
        {"method": "generateContent", "response": chunk},
        {"method": "countTokens", "response": {"totalTokens": 7}},
    ]
    path = tmp_path / "r.responses"
    path.write_text("\n\n".join(json.dumps(line) for line in lines) + "\n")
    steps = read_script(path)
    assert steps == [
        on("streamGenerateContent", raw(chunk, chunk)),
        on("generateContent", raw(chunk)),
        tokens(7),
    ]
    signed = {**chunk, "modelVersion": "m", "responseId": "scripted-1"}
    assert wire.actions(steps[0], REQUEST) == [signed, signed]
    assert wire.body(steps[1], REQUEST)["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "line 2: is not JSON"),
        ("[]", 'line 2: "method" must be one of generateContentStream'),
        ('{"method": "x", "response": {}}', 'line 2: "method" must be one of'),
        ('{"method": "generateContent", "response": []}', 'line 2: "response" must be an object'),
        ('{"method": "generateContentStream", "response": {}}', "must be a list of chunks"),
        ('{"method": "countTokens", "response": {"totalTokens": "x"}}', "line 2: "),
        ('{"method": "embedContent", "response": {"embeddings": 5}}', "line 2: "),
    ],
)
def test_a_broken_recording_is_not_located(tmp_path, line, complaint):
    path = tmp_path / "r.responses"
    path.write_text('{"method": "countTokens", "response": {"totalTokens": 1}}\n' + line + "\n")
    with pytest.raises(ScriptProblem, match=complaint):
        read_script(path)


def test_steps_are_described_so_that_nobody_recognises_them():
    step = answer(thought("t"), text("x" * 50), call("ls"), finish("STOP"))
    assert step.title == f"thought('t') + text('{'x' * 37}…') + call(ls) + finish"
    assert Step(()).title == "empty"
