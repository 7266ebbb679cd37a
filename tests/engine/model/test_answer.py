import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.engine.model.wire import AnswerReader, encode, request_body
from gemini_cli.protocol.errors import BadRequest, Blocked
from gemini_cli.protocol.messages import Call, Opaque, Text, Usage
from gemini_cli.protocol.model import Chunk, Citation


def reader() -> AnswerReader:
    return AnswerReader(lambda name: f"{name}_1_0", "m")


def piece(*parts, **candidate) -> dict:
    return {"candidates": [{"content": {"parts": list(parts)}} | candidate]}


def test_ids_are_kept_given_and_prefixed_once():
    found = reader().chunk(
        piece(
            {"functionCall": {"name": "ls", "id": "abc"}},
            {"functionCall": {"name": "ls", "id": "ls__abc"}},
            {"functionCall": {"name": "ls", "args": {"p": 1}}},
            {"functionCall": {"name": " "}},
        )
    )
    assert found.parts == (
        Call("ls__abc", "ls", {}),
        Call("ls__abc", "ls", {}),
        Call("ls__ls_1_0", "ls", {"p": 1}),
        Call("generic_tool__generic_tool_1_0", "generic_tool", {}),
    )


def test_words_and_calls_with_news_beside_them_are_not_lost():
    found = reader().chunk(
        piece(
            {"text": "a", "partMetadata": {"x": 1}},
            {"text": "", "functionCall": {"name": "ls", "id": "1", "will": True}, "new": 1},
            {"text": "", "new": 1},
        )
    )
    kept = Opaque({"text": "", "new": 1})
    assert found.parts == (Text("a"), Call("ls__1", "ls", {}), kept)


def test_a_signature_only_a_thought_carried_moves_to_the_first_call():
    made = reader()
    made.chunk(piece({"text": "hm", "thought": True, "thoughtSignature": "s"}))
    found = made.chunk(piece({"functionCall": {"name": "a"}}, {"functionCall": {"name": "b"}}))
    assert [part.signature for part in found.parts] == ["s", None]


def test_a_call_keeps_its_own_signature():
    made = reader()
    made.chunk(piece({"text": "hm", "thought": True, "thoughtSignature": "s"}))
    found = made.chunk(piece({"functionCall": {"name": "a"}, "thoughtSignature": "own"}))
    assert found.parts[0].signature == "own"


def test_everything_a_piece_says_is_read():
    raw = piece(
        {"text": "why", "thought": True},
        {"text": "hi"},
        {"executableCode": {"code": "1"}},
        finishReason="STOP",
        groundingMetadata={"webSearchQueries": ["q"]},
    ) | {
        "usageMetadata": {
            "promptTokenCount": 5,
            "candidatesTokenCount": 2,
            "cachedContentTokenCount": 1,
            "thoughtsTokenCount": 3,
            "toolUsePromptTokenCount": 4,
            "totalTokenCount": 10,
        },
        "modelVersion": "m-001",
        "responseId": "r",
    }
    assert reader().chunk(raw) == Chunk(
        parts=(Text("why", thought=True), Text("hi"), Opaque({"executableCode": {"code": "1"}})),
        finish="STOP",
        usage=Usage(5, 2, 1, 3, 4, 10),
        model="m-001",
        response_id="r",
        grounding={"webSearchQueries": ["q"]},
    )


def test_citations_come_once_sorted_with_the_end():
    made = reader()
    sources = [{"uri": "b"}, {"title": "A", "uri": "a"}]
    first = made.chunk(piece({"text": "x"}, citationMetadata={"citations": sources}))
    last = made.chunk(piece(citationMetadata={"citations": sources[:1]}, finishReason="STOP"))
    assert (first.citations, last.citations) == ((), (Citation("b"), Citation("a", "A")))


def test_a_refused_prompt_is_told_with_its_reason():
    with pytest.raises(Blocked, match="PROHIBITED_CONTENT") as caught:
        reader().chunk({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    assert caught.value.reason == "PROHIBITED_CONTENT"


def test_feedback_beside_an_answer_is_no_refusal():
    raw = piece({"text": "a"}) | {"promptFeedback": {"blockReason": "OTHER"}}
    assert reader().chunk(raw).parts == (Text("a"),)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"candidates": None},
        {"candidates": [None, 3]},
        {"candidates": [{"content": None}]},
        {"candidates": [{"content": {"parts": ["x", None, {}]}}]},
        {"usageMetadata": {"promptTokenCount": None, "totalTokenCount": "7"}},
        {"promptFeedback": None, "modelVersion": 3},
    ],
)
def test_fields_of_unexpected_types_are_passed_over(raw):
    assert reader().chunk(raw).parts == ()


@pytest.mark.parametrize("count", [float("inf"), float("nan"), -1, 1e300, "7", [1]])
def test_a_count_that_cannot_be_one_counts_as_none(count):
    raw = {"usageMetadata": {"promptTokenCount": count, "totalTokenCount": 5.0}}
    assert reader().chunk(raw).usage == Usage(total=5)


def test_only_the_first_candidate_speaks():
    raw = {"candidates": [*piece({"text": "a"})["candidates"], *piece({"text": "b"})["candidates"]]}
    assert reader().chunk(raw).parts == (Text("a"),)


def test_flat_settings_land_where_the_service_wants_them():
    body = request_body(
        [],
        {
            "temperature": 1,
            "topK": None,
            "safetySettings": [{"category": "X"}],
            "cachedContent": "c",
            "tools": [{"googleSearch": {}}],
            "systemInstruction": "be kind",
            "thinkingConfig": {"thinkingBudget": None, "includeThoughts": True},
            "responseJsonSchema": {"enum": [None], "default": None},
        },
    )
    assert encode(body) == (
        b'{"contents":[],"systemInstruction":{"role":"user","parts":[{"text":"be kind"}]},'
        b'"tools":[{"googleSearch":{}}],"safetySettings":[{"category":"X"}],'
        b'"cachedContent":"c","generationConfig":{"temperature":1,'
        b'"thinkingConfig":{"includeThoughts":true},'
        b'"responseJsonSchema":{"enum":[null],"default":null}}}'
    )


def test_what_the_loop_says_wins_over_the_settings():
    body = request_body(
        [],
        {"systemInstruction": "old", "tools": [{"googleSearch": {}}]},
        system="new",
        tools=({"name": "ls"},),
        tool_config={"functionCallingConfig": {"mode": "NONE"}},
    )
    assert body == {
        "contents": [],
        "systemInstruction": {"role": "user", "parts": [{"text": "new"}]},
        "tools": [{"functionDeclarations": [{"name": "ls"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "NONE"}},
        "generationConfig": {},
    }


def test_keys_of_the_other_service_are_refused_by_name():
    with pytest.raises(BadRequest, match="labels"):
        request_body([], {"labels": {"a": "b"}})


def test_half_a_character_does_not_stop_a_request():
    assert encode({"text": "a\ud800b", "ok": "ü😀"}) == '{"text":"a\ufffdb","ok":"ü😀"}'.encode()


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def nested(*names: str):
    """Values that resemble an answer and then do not."""
    shape = junk
    for name in reversed(names):
        shape = junk | st.lists(shape, max_size=2) | st.dictionaries(st.just(name), shape)
    return shape


pieces = st.fixed_dictionaries(
    {},
    optional={
        "candidates": nested("content", "parts", "functionCall"),
        "usageMetadata": st.dictionaries(
            st.sampled_from(["promptTokenCount", "totalTokenCount"]), junk
        ),
        "promptFeedback": junk,
        "modelVersion": junk,
    },
)


@given(st.lists(pieces, max_size=3))
def test_no_answer_however_odd_breaks_the_reader(raws):
    made = reader()
    for raw in raws:
        assert isinstance(made.chunk(raw), Chunk)
