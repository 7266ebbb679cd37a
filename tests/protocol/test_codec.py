"""What goes through the codec comes back the same, known to us or not."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.protocol import codec
from gemini_cli.protocol.display import Custom
from gemini_cli.protocol.events import (
    AskRaised,
    AskResolved,
    Envelope,
    Event,
    MetaChanged,
    Signal,
    ToolFinished,
    ToolProgress,
    TurnStarted,
    Unknown,
)
from gemini_cli.protocol.messages import Blob, Call, Message, Opaque, Reply, Text
from gemini_cli.protocol.ops import AnswerAsk, Prompt, SetMode
from gemini_cli.protocol.people import Answer, Ask

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=4)
words = st.text(max_size=20)
texts = st.builds(Text, words, st.booleans(), st.none() | words)
blobs = st.builds(Blob, words, st.none() | st.binary(max_size=20), st.none() | words)
calls = st.builds(Call, words, words, objects, st.none() | words)
replies = st.builds(
    Reply, words, words, st.lists(texts | blobs, max_size=3).map(tuple), st.booleans()
)
tags = st.sampled_from(["Text", "Reply", "Opaque", "Hologram"])
tagged = st.builds(lambda fields, tag: {**fields, "type": tag}, objects, tags)
parts = texts | blobs | calls | replies | st.builds(Opaque, objects | tagged)
messages = st.builds(
    Message,
    words,
    st.sampled_from(["user", "model"]),
    st.lists(parts, max_size=4).map(tuple),
    words,
)


@given(messages)
def test_a_message_survives_the_round_trip(message: Message):
    assert codec.decode_message(codec.encode(message)) == message


@given(messages, calls, replies)
def test_an_envelope_survives_the_round_trip(message: Message, call: Call, reply: Reply):
    events: list[Event] = [TurnStarted(message), ToolFinished(call, reply, "success")]
    for event in events:
        envelope = Envelope(7, "2026-01-01T00:00:00.000Z", "s", "t", ("helper",), event)
        assert codec.decode_envelope(codec.encode(envelope)) == envelope


@given(objects)
def test_an_event_of_a_newer_version_is_not_lost(fields: dict[str, object]):
    event = {**fields, "type": "FlewToTheMoon"}
    line = {"seq": 1, "at": "x", "session_id": "s", "turn_id": None, "agent": [], "event": event}
    envelope = codec.decode_envelope(json.dumps(line))
    assert envelope.event == Unknown(event)
    assert json.loads(codec.encode(envelope)) == line


def test_a_known_event_with_a_new_shape_is_kept_rather_than_refused():
    event = {"type": "Notice", "level": "shout", "text": "hi"}
    line = {"seq": 1, "at": "x", "session_id": "s", "turn_id": None, "agent": [], "event": event}
    assert codec.decode_envelope(json.dumps(line)).event == Unknown(event)


def test_a_part_of_a_newer_version_is_written_out_as_it_came():
    raw = {
        "id": "1",
        "role": "model",
        "parts": [{"type": "Hologram", "depth": 3}, {"type": "Text", "text": "x"}],
        "at": "x",
    }
    message = codec.decode_message(json.dumps(raw))
    assert message.parts[0] == Opaque({"type": "Hologram", "depth": 3})
    assert json.loads(codec.encode(message)) == raw


@pytest.mark.parametrize(
    "part",
    [
        {"type": "Text", "text": 3},
        {"type": "Text"},
        {"type": "Reply", "call_id": "c", "name": "t", "parts": [{"type": "Hologram"}]},
        {"type": ["Text"]},
        "only words",
    ],
)
def test_a_part_of_a_new_shape_makes_its_message_unreadable(part: object):
    raw = {"id": "1", "role": "user", "parts": [part, {"type": "Text", "text": "x"}], "at": "x"}
    if not isinstance(part, dict):
        with pytest.raises(ValueError):
            codec.decode_message(json.dumps(raw))
        return
    message = codec.decode_message(json.dumps(raw))
    assert message.parts == (Opaque(part), Text("x"))
    assert json.loads(codec.encode(message)) == raw


LIKE_OURS = {
    "parts": [{"type": "Hologram"}],
    "inner": {"type": "Unknown", "raw": {"type": "Opaque", "raw": 1}},
}


@pytest.mark.parametrize(
    "event",
    [
        MetaChanged(LIKE_OURS),
        Signal("s", LIKE_OURS),
        AskResolved(Answer("a", "yes", LIKE_OURS)),
        AskRaised(Ask("a", "form", "t", (), "no", schema=LIKE_OURS)),
        ToolProgress("c", Custom(LIKE_OURS)),
    ],
)
def test_json_of_others_is_changed_where_it_looks_like_ours(event: Event):
    envelope = Envelope(1, "x", "s", None, (), event)
    assert codec.decode_envelope(codec.encode(envelope)) == envelope
    assert codec.decode_op(codec.encode(AnswerAsk("a", "yes", LIKE_OURS))).content == LIKE_OURS


@pytest.mark.parametrize("raw", [{"type": "Unknown", "raw": {"a": 1}}, {"type": "Unknown"}])
def test_an_event_that_calls_itself_unknown_loses_its_wrapping(raw: dict[str, object]):
    line = {"seq": 1, "at": "x", "session_id": "s", "turn_id": None, "agent": [], "event": raw}
    assert json.loads(codec.encode(codec.decode_envelope(json.dumps(line)))) == line


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (
            codec.decode_envelope,
            '{"seq":1,"at":"x","session_id":"s","turn_id":null,"agent":[],"event":%s}',
        ),
        (codec.decode_message, '{"id":"1","role":"user","parts":[%s],"at":"x"}'),
    ],
)
def test_something_nested_deep_is_lost_or_raises_what_nobody_expects(read, line):
    deep = line % ('{"type":"New","x":%s}' % ("[" * 600 + "]" * 600))
    assert codec.encode(read(deep)).decode() == deep
    with pytest.raises(ValueError):
        read(line % ("[" * 5000 + "]" * 5000))


def test_replies_inside_replies_take_twice_as_long_for_each_level():
    part = {"type": "Text", "text": "x"}
    for _ in range(200):
        part = {"type": "Reply", "call_id": "c", "name": "t", "parts": [part]}
    line = json.dumps({"id": "1", "role": "user", "parts": [part], "at": "x"})
    assert json.loads(codec.encode(codec.decode_message(line)))["parts"] == [part]


def test_call_arguments_that_look_like_ours_are_left_alone():
    args = {"parts": [{"type": "Hologram"}], "event": {"type": "Unknown", "raw": 1}}
    message = Message("1", "model", (Call("c", "t", args),), "x")
    assert codec.decode_message(codec.encode(message)) == message


@pytest.mark.parametrize("op", [Prompt((Text("hi"),)), SetMode(mode="plan")])
def test_an_op_survives_the_round_trip(op: Prompt | SetMode):
    assert codec.decode_op(codec.encode(op)) == op


@pytest.mark.parametrize("line", ["[]", "{}", '{"event": 3}', "nonsense"])
def test_something_that_is_no_envelope_is_refused(line: str):
    with pytest.raises(ValueError):
        codec.decode_envelope(line)


def test_every_event_says_whether_it_is_durable():
    for kind in Event.__args__:
        assert isinstance(kind.durable, bool), kind
        assert issubclass(kind, msgspec.Struct)


def test_a_foreign_part_that_could_be_ours_becomes_ours():
    message = Message("1", "model", (Opaque({"type": "Text", "text": "x"}),), "x")
    assert codec.decode_message(codec.encode(message)) == message


@pytest.mark.parametrize("parts", ["3", '"words"', "null", "{}"])
def test_parts_that_are_no_list_raise_what_nobody_expects(parts: str):
    with pytest.raises(ValueError):
        codec.decode_message(f'{{"id":"1","role":"user","parts":{parts},"at":"x"}}')
