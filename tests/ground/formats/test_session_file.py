"""Playing session logs back, and the names of stored sessions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.ground.formats import session_file as sf

HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "t"}


def message(name, **fields):
    return {"id": name, "type": "user", "content": "x", **fields}


def played(*records):
    return sf.replay(iter(records))


def test_the_tests_of_a_record_come_in_their_order():
    assert sf.record_kind({"$rewindTo": "a", "id": "b"}) == "rewind"
    assert (
        sf.record_kind({"id": "a", "$set": {}, "sessionId": "s", "projectHash": "h"}) == "message"
    )
    assert sf.record_kind({"$set": {}, "sessionId": "s", "projectHash": "h"}) == "update"
    assert sf.record_kind({"sessionId": "s", "projectHash": "h"}) == "header"
    for other in (None, 5, [], {}, {"id": 5}, {"sessionId": "s"}, {"$set": []}, {"$rewindTo": 1}):
        assert sf.record_kind(other) == "other"


def test_a_message_written_again_keeps_its_place():
    metadata, messages = played(HEAD, message("a"), message("b"), message("a", content="new"))
    assert [m["id"] for m in messages] == ["a", "b"]
    assert messages[0]["content"] == "new"
    assert metadata == HEAD


def test_a_rewind_drops_the_message_and_all_after_it():
    _, messages = played(message("a"), message("b"), message("c"), {"$rewindTo": "b"}, message("d"))
    assert [m["id"] for m in messages] == ["a", "d"]
    assert played(message("a"), {"$rewindTo": "unknown"})[1] == []


def test_a_checkpoint_replaces_the_messages_and_a_header_adds_to_them():
    metadata, messages = played(
        {**HEAD, "messages": [message("a")]},
        message("b"),
        {"$set": {"messages": [message("c"), message(7), "junk"], "summary": "sum"}},
        {**HEAD, "startTime": "later"},
    )
    assert [m["id"] for m in messages] == ["c", 7]
    assert metadata == {**HEAD, "startTime": "later", "summary": "sum"}


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds(message, st.sampled_from("abc")),
            st.builds(lambda name: {"$rewindTo": name}, st.sampled_from("abcz")),
            st.builds(
                lambda names: {"$set": {"messages": [message(n) for n in names]}},
                st.lists(st.sampled_from("abc"), max_size=3),
            ),
            st.just(HEAD),
            st.none(),
        ),
        max_size=12,
    )
)
def test_the_log_comes_to_what_its_rules_say(records):
    expected: list[str] = []
    for record in records:
        match sf.record_kind(record):
            case "message" if record["id"] not in expected:
                expected.append(record["id"])
            case "rewind":
                target = record["$rewindTo"]
                expected = expected[: expected.index(target)] if target in expected else []
            case "update":
                expected = list(dict.fromkeys(m["id"] for m in record["$set"]["messages"]))
    state = sf.SessionReplay(lambda m, _: m)
    for record in records:
        state.feed(record)
    assert [m["id"] for m in state.held()] == expected
    assert len(state) == len(expected)
    assert state.has_header is (HEAD in records)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ({"text": "one"}, "one"),
        ([{"text": "a"}, "b", {"text": "no", "thought": True}, {"inlineData": {}}, 5], "ab"),
        (None, ""),
        (7, ""),
    ],
)
def test_the_text_of_any_content(content, text):
    assert sf.text_of(content) == text


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (message("a"), True),
        (message("a", content=" /help"), False),
        (message("a", content="?"), False),
        (message("a", content=""), False),
        (message("a", content="<session_context>x"), False),
        (message("a", content=[{"text": "<hook_context>x"}]), False),
        ({"type": "gemini", "content": "x"}, True),
        ({"type": "gemini", "content": ""}, False),
        ({"type": "gemini", "content": "", "toolCalls": [{}]}, True),
        ({"type": "gemini", "content": "", "thoughts": [{}]}, True),
        ({"type": "info", "content": "x"}, False),
    ],
)
def test_what_makes_a_session_worth_resuming(record, expected):
    assert sf.is_resumable(record) is expected


def test_names_of_folders_and_files():
    known = "cde65581"
    assert sf.project_hash("/private/tmp/gemini-test").startswith(known)
    assert sf.short_id("ab/..\0defgh") == "ab____de"
    assert sf.short_id("0a1b2c3d-1111") == "0a1b2c3d"
