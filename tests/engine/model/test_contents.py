from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.fakes import call, model, reply, user
from gemini_cli.engine.model.wire import NO_SIGNATURE, contents_to_wire, part_from_wire
from gemini_cli.protocol.messages import Blob, Message, Opaque, Reply, Text


def wire(*messages: Message, nests: bool = False) -> list:
    return contents_to_wire(messages, nests_media=nests)


def test_neighbours_of_one_role_become_one_turn_and_empty_ones_vanish():
    found = wire(user("env"), user(), user("hi"), model(""), user("more"), model("ok"))
    assert found == [
        {"role": "user", "parts": [{"text": "env"}, {"text": "hi"}, {"text": "more"}]},
        {"role": "model", "parts": [{"text": "ok"}]},
    ]


def test_a_thought_is_never_sent_and_its_turn_still_signs_its_first_call():
    thought = Text("thinking", thought=True, signature="s")
    found = wire(user("hi"), model(thought, call("ls"), call("ls", id="2")), user("x"))
    first, second = found[1]["parts"]
    assert first == {
        "functionCall": {"id": "1", "name": "ls", "args": {}},
        "thoughtSignature": NO_SIGNATURE,
    }
    assert "thoughtSignature" not in second


def test_a_turn_of_thoughts_alone_does_not_split_its_neighbours():
    found = wire(user("a"), model(Text("t", thought=True)), user("b"))
    assert found == [{"role": "user", "parts": [{"text": "a"}, {"text": "b"}]}]


def test_only_the_running_loop_is_signed_and_only_where_a_signature_is_missing():
    found = wire(
        user("old"),
        model(call("ls")),
        user(reply("ls")),
        model("done"),
        user("new"),
        model("look", call("ls"), call("ls", id="2")),
        user(reply("ls"), reply("ls", id="2")),
        model(call("glob", "kept")),
        user(reply("glob")),
    )
    signatures = [[p.get("thoughtSignature") for p in t["parts"]] for t in found]
    assert signatures == [
        [None],
        [None],
        [None],
        [None],
        [None],
        [None, NO_SIGNATURE, None],
        [None, None],
        ["kept"],
        [None],
    ]


def test_steering_text_beside_replies_does_not_hide_where_the_loop_began():
    found = wire(user("go"), model(call("ls")), user(reply("ls"), "hurry"))
    assert found[1]["parts"][0]["thoughtSignature"] == NO_SIGNATURE


def test_a_signature_on_text_or_on_nothing_is_sent_back_where_it_came():
    found = wire(user("hi"), model(Text("a", signature="x"), Text("", signature="y")))
    assert found[1]["parts"] == [
        {"text": "a", "thoughtSignature": "x"},
        {"thoughtSignature": "y"},
    ]


def test_the_service_gets_its_own_ids_back():
    found = wire(
        user("hi"), model(call("my__tool", id="my__x")), user(reply("my__tool", id="my__x"))
    )
    assert found[1]["parts"][0]["functionCall"]["id"] == "my__x"
    assert found[2]["parts"][0]["functionResponse"]["id"] == "my__x"


def test_a_failed_reply_says_error_and_several_texts_are_joined():
    failed = reply("ls", "no such folder", is_error=True)
    joined = Reply("a__1", "a", (Text("one"), Text("two")))
    parts = wire(user(failed, joined))[0]["parts"]
    assert [p["functionResponse"]["response"] for p in parts] == [
        {"error": "no such folder"},
        {"output": "one\ntwo"},
    ]


PICTURE = Blob("image/png", b"\x89P")
PICTURE_WIRE = {"inlineData": {"mimeType": "image/png", "data": "iVA="}}


@pytest.mark.parametrize("nests", [True, False])
def test_a_picture_in_a_reply_goes_inside_or_behind_it_as_the_model_wants(nests):
    parts = wire(user(Reply("a__1", "a", (PICTURE,))), nests=nests)[0]["parts"]
    response = parts[0]["functionResponse"]
    assert response["response"] == {"output": "[1 attachment, no text]"}
    if nests:
        assert (response["parts"], len(parts)) == ([PICTURE_WIRE], 1)
    else:
        assert ("parts" in response, parts[1]) == (False, PICTURE_WIRE)


def test_a_recording_that_was_read_follows_all_replies_in_its_own_turn():
    sound = Reply("read_file__1", "read_file", (Text("read"), Blob("audio/mp3", b"a")))
    found = wire(user("go"), model(call("x")), user(sound), user(reply("ls")), nests=True)
    assert [t["role"] for t in found] == ["user", "model", "user", "model", "user"]
    assert ["functionResponse" in p for p in found[2]["parts"]] == [True, True]
    assert found[4]["parts"] == [{"inlineData": {"mimeType": "audio/mp3", "data": "YQ=="}}]


def test_a_recording_another_tool_returns_is_named_as_left_out():
    sound = Reply("mcp__1", "mcp", (Blob("video/mp4", b"a"),))
    found = wire(user(sound), nests=True)[0]["parts"][0]["functionResponse"]
    assert "left out" in found["response"]["output"] and "parts" not in found


def test_unknown_parts_survive_and_lose_only_an_empty_text():
    raw = {"executableCode": {"language": "PYTHON", "code": "1"}, "text": ""}
    found = wire(user("a"), model(Opaque(raw)))
    assert found[1]["parts"] == [{"executableCode": {"language": "PYTHON", "code": "1"}}]


PARTS = [
    {"text": "a"},
    {"text": "a", "thoughtSignature": "s"},
    {"thoughtSignature": "s"},
    {"functionCall": {"id": "1", "name": "ls", "args": {"a": None, "b": [1]}}},
    {"functionResponse": {"id": "1", "name": "ls", "response": {"output": "x"}}},
    {
        "functionResponse": {
            "id": "1",
            "name": "ls",
            "response": {"output": "x"},
            "parts": [PICTURE_WIRE],
        }
    },
    {"functionResponse": {"name": "ls", "response": {"content": [{"a": 1}]}}},
    {"functionResponse": {"id": "1", "name": "ls", "response": {"output": 3}}},
    PICTURE_WIRE,
    PICTURE_WIRE | {"videoMetadata": {"fps": 1}},
    {"fileData": {"mimeType": "a/b", "fileUri": "gs://x"}, "thoughtSignature": "s"},
    {"executableCode": {"code": "1"}, "thoughtSignature": "s"},
    {"inlineData": {"mimeType": "a/b", "data": "not base64!"}},
    {"text": 7},
    {},
]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: "+".join(p) or "empty")
def test_a_part_survives_the_way_in_and_out(part):
    found = wire(Message("1", "user", (part_from_wire(part),), "t"), nests=True)
    assert [p for turn in found for p in turn["parts"]] == ([part] if part else [])


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["text", "functionCall", "functionResponse", "inlineData", "name", "args"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([k for p in PARTS for k in p]), junk, max_size=3))
def test_no_part_however_odd_breaks_the_reader(raw):
    for turn in wire(Message("1", "model", (part_from_wire(raw),), "t"), nests=True):
        assert turn["role"] == "model" and turn["parts"]


messages = st.lists(
    st.builds(
        lambda role, parts: Message("1", role, tuple(parts), "t"),
        st.sampled_from(["user", "model"]),
        st.lists(
            st.one_of(
                st.builds(Text, st.sampled_from(["", "a"]), st.booleans()),
                st.sampled_from([call("ls"), reply("ls"), PICTURE, Opaque({"x": 1})]),
            ),
            max_size=3,
        ),
    ),
    max_size=8,
)


@given(messages)
def test_roles_always_alternate_and_no_turn_or_part_is_empty(history):
    found = contents_to_wire(history, nests_media=False)
    assert all(a["role"] != b["role"] for a, b in pairwise(found))
    assert all(turn["parts"] and all(turn["parts"]) for turn in found)
    assert not any("thought" in part for turn in found for part in turn["parts"])


def test_a_recording_read_earlier_is_sent_behind_what_was_said_about_it():
    sound = Blob("audio/mp3", b"ID3")
    heard = Reply("1", "read_file", (Text("sound"), sound))
    found = wire(
        user("listen"),
        model(call("read_file")),
        user(heard),
        model("a dog"),
        user("thanks"),
        nests=True,
    )
    kinds = [(turn["role"], sorted(turn["parts"][0])) for turn in found]
    assert kinds == [
        ("user", ["text"]),
        ("model", ["functionCall"]),
        ("user", ["functionResponse"]),
        ("model", ["text"]),
        ("user", ["inlineData"]),
        ("model", ["text"]),
        ("user", ["text"]),
    ]
