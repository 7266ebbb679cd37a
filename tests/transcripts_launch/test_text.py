"""Lines and JSON values out of what a child prints."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.transcripts.launch import extract_json, find_json
from gemini_cli.transcripts.launch.lines import LineBuffer, Tail


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8"))), st.data())
def test_no_cut_of_the_bytes_changes_a_line(lines: list[str], data: st.DataObject) -> None:
    raw = "\n".join(lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    buffer, found, start = LineBuffer(), [], 0
    for cut in [*cuts, len(raw)]:
        found += buffer.feed(raw[start:cut])
        start = cut
    last = buffer.flush()
    expected = lines if lines and lines[-1] else lines[:-1]
    assert found + ([last] if last is not None else []) == expected


def test_a_line_over_the_cap_is_counted_and_does_not_spoil_the_next() -> None:
    buffer = LineBuffer(cap=10)
    assert buffer.feed(b"x" * 8) == []
    assert buffer.feed(b"x" * 8 + b"\nnext\r\n") == ["next"]
    assert buffer.feed(b"y" * 11) == []
    assert buffer.flush() is None
    assert buffer.dropped == 2


def test_a_character_cut_in_two_does_not_become_two_question_marks_on_stderr() -> None:
    tail = Tail(cap=4)
    euro = "€".encode()
    assert tail.feed(b"ab" + euro[:1]) == "ab"
    assert tail.feed(euro[1:] + b"cde") == "€cde"
    assert (tail.text, tail.truncated) == ("€cde", True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("  0 ", 0),
        ("false", False),
        ('""', ""),
        ('Here:\n```json\n{"a": 2}\n```\nand {"a": 3}', {"a": 2}),
        ("```\n[1, 2]\n```", [1, 2]),
        ("```JSON\r\n[1]\r\n```", [1]),
        ('The answer is {"a": {"b": [1]}} as asked.', {"a": {"b": [1]}}),
        ("one of [1, 2, 3]!", [1, 2, 3]),
        ('{"a": 1} and {"b": 2}', {"a": 1}),
        ('broken { then {"ok": true} }', {"ok": True}),
        ("nothing", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_the_value_in_an_answer_is_found(text: object, value: object) -> None:
    assert extract_json(text) == value
    assert type(extract_json(text)) is type(value)


def test_null_is_told_from_nothing() -> None:
    assert find_json("null").found
    assert not find_json("no").found


def test_the_last_object_wins_when_that_is_wanted() -> None:
    assert extract_json('{"a": 1} then {"b": 2}', prefer="last") == {"b": 2}
    assert extract_json("```\n1\n```\n```\n2\n```", prefer="last") == 2


@pytest.mark.parametrize("text", ["{" * 200_000, "[" * 200_000, '{"' * 100_000, "```" * 50_000])
def test_a_hostile_answer_does_not_hang_the_search(text: str) -> None:
    assert extract_json(text) is None


@given(st.recursive(st.integers() | st.text() | st.booleans(), lambda s: st.lists(s, max_size=3)))
def test_any_value_survives_a_fence(value: object) -> None:
    assert extract_json(f"Sure!\n```json\n{json.dumps(value)}\n```") == value
