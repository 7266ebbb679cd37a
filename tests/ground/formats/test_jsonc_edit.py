"""Editing JSON with comments in place: nothing a person wrote gets lost."""

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.ground.formats.jsonc import JsoncError, parse
from gemini_cli.ground.formats.jsonc_edit import delete_value, set_value

SETTINGS = """\
// my settings
{
  "ui": {
    // colours
    "theme": "Default", // the dark one
    "hideTips": true
  },
  /* servers */
  "mcpServers": {
    "a": { "command": "x", "env": { "K": "$SECRET" } } // first
  }
}
"""


def test_a_changed_value_keeps_its_neighbours_and_comments():
    assert set_value(SETTINGS, ("ui", "theme"), "ANSI") == SETTINGS.replace('"Default"', '"ANSI"')


def test_a_new_key_goes_after_the_last_one_with_its_comment_in_place():
    text = set_value(SETTINGS, ("mcpServers", "b"), {"command": "y", "args": ["1"]})
    assert text == SETTINGS.replace(
        "} // first\n",
        """}, // first
    "b": {
      "command": "y",
      "args": [
        "1"
      ]
    }
""",
    )


def test_missing_objects_on_the_way_are_made():
    assert set_value("{}\n", ("a", "b", "c"), 1) == (
        '{\n  "a": {\n    "b": {\n      "c": 1\n    }\n  }\n}\n'
    )


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_file_becomes_an_object(text: str):
    assert parse(set_value(text, ("a",), True)) == {"a": True}


def test_tabs_and_windows_line_ends_are_kept():
    text = '{\r\n\t"a": 1\r\n}\r\n'
    assert set_value(text, ("b",), {"c": 2}) == (
        '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'
    )


def test_a_one_line_object_stays_on_one_line():
    assert set_value('{"a": {"b": 1}}', ("a", "c"), 2) == '{"a": {"b": 1, "c": 2}}'
    new = set_value('{"a": {"b": 1}}', ("a", "c"), {"d": ["x", 2], "e": {}})
    assert new == '{"a": {"b": 1, "c": {"d": ["x", 2], "e": {}}}}'


def test_a_deleted_key_leaves_no_blank_line_and_no_stray_comma():
    assert delete_value('{\n  "a": 1,\n  "b": 2\n}\n', ("b",)) == '{\n  "a": 1\n}\n'
    assert delete_value('{\n  "a": 1,\n  "b": 2\n}\n', ("a",)) == '{\n  "b": 2\n}\n'
    assert delete_value('{\n  "a": 1\n}\n', ("a",)) == "{}\n"


def test_comments_of_a_deleted_key_stay():
    text = (
        '{\n  "a": 1, // about a\n  // above b\n'
        '  "b": { /* in b */ "c": 1 }, // about b\n  "d": 1\n}'
    )
    new = delete_value(text, ("b",))
    assert parse(new) == {"a": 1, "d": 1}
    for comment in ("// about a", "// above b", "/* in b */", "// about b"):
        assert comment in new


def test_deleting_a_doubled_key_does_not_uncover_the_hidden_one():
    assert parse(delete_value('{"a": 1, "b": 2, "a": 3}', ("a",))) == {"b": 2}


def test_an_element_added_or_taken_out_keeps_the_comments_of_the_others():
    text = '{\n  "x": [\n    "a", // one\n    "b" // two\n  ]\n}'
    assert set_value(text, ("x",), ["a", "b", "c"]) == (
        '{\n  "x": [\n    "a", // one\n    "b", // two\n    "c"\n  ]\n}'
    )
    new = set_value(text, ("x",), ["b"])
    assert parse(new) == {"x": ["b"]}
    assert "// one" in new


def test_a_value_inside_something_that_is_no_object_is_refused_by_name():
    with pytest.raises(JsoncError, match=r"ui\.theme holds no object"):
        set_value('{"ui": {"theme": "x"}}', ("ui", "theme", "name"), 1)


def test_the_same_value_changes_nothing():
    assert set_value(SETTINGS, (), parse(SETTINGS)) == SETTINGS


COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(//[^\n]*|/\*.*?\*/)', re.DOTALL)


def comments(text: str) -> Counter[str]:
    return Counter(m.group(1).rstrip() for m in COMMENT.finditer(text) if m.group(1))


def strict(text: str) -> object:
    """Parses as the strictest reader of these files does: comments yes, trailing commas no."""
    return json.loads(COMMENT.sub(lambda m: " " if m.group(1) else m.group(0), text))


keys = st.sampled_from(["a", "b", "c", "d//e", 'q"', "é"])
leaves = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["x", "// no", "/* no */"])
)
values = st.recursive(
    leaves, lambda v: st.lists(v, max_size=3) | st.dictionaries(keys, v, max_size=3), max_leaves=8
)
objects = st.dictionaries(keys, values, max_size=4)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """An object written by a careless person: comments and line breaks anywhere."""
    value = draw(objects)
    count = 0

    def gap() -> str:
        nonlocal count
        kind = draw(st.sampled_from(["", "", "", " ", "\n", "\n    ", "b", "l", "bl"]))
        out = ""
        for letter in kind.strip() if kind in ("b", "l", "bl") else "":
            count += 1
            out += f" /* c{count} */ " if letter == "b" else f" // c{count}\n  "
        return out or kind

    def write(item: object) -> str:
        if isinstance(item, dict):
            parts = [
                f"{gap()}{json.dumps(k)}{gap()}:{gap()}{write(v)}{gap()}" for k, v in item.items()
            ]
            return "{" + (",".join(parts) or gap()) + "}"
        if isinstance(item, list):
            return "[" + (",".join(f"{gap()}{write(v)}{gap()}" for v in item) or gap()) + "]"
        return json.dumps(item)

    text = gap() + write(value) + gap()
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), value


def put(target: dict[str, object], path: list[str], value: object) -> bool:
    for key in path[:-1]:
        inner = target.setdefault(key, {})
        if not isinstance(inner, dict):
            return False
        target = inner
    target[path[-1]] = value
    return True


def drop(target: object, path: list[str]) -> None:
    for key in path[:-1]:
        target = target.get(key) if isinstance(target, dict) else None
    if isinstance(target, dict):
        target.pop(path[-1], None)


edits = st.lists(
    st.tuples(st.booleans(), st.lists(keys, min_size=1, max_size=3), values), max_size=4
)


@settings(max_examples=150, deadline=None)
@given(documents(), edits)
def test_edits_keep_every_comment_and_give_the_expected_value(
    document: tuple[str, dict[str, object]], steps: list[tuple[bool, list[str], object]]
):
    text, expected = document
    before = comments(text)
    for is_set, path, value in steps:
        if is_set:
            shadow = json.loads(json.dumps(expected))
            if not put(shadow, path, value):
                with pytest.raises(JsoncError):
                    set_value(text, path, value)
                continue
            expected = shadow
            text = set_value(text, path, value)
        else:
            drop(expected, path)
            text = delete_value(text, path)
        assert strict(text) == expected
        assert parse(text) == expected
        assert comments(text) == before


@settings(max_examples=100, deadline=None)
@given(documents(), objects)
def test_a_whole_object_applied_over_another_keeps_every_comment(
    document: tuple[str, dict[str, object]], new: dict[str, object]
):
    text, _ = document
    changed = set_value(text, (), new)
    assert strict(changed) == new
    assert comments(changed) == comments(text)
