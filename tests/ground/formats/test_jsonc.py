"""Reading JSON with comments: values, places of errors, and hostile input."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.ground.formats.jsonc import JsoncError, parse

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(json_values)
def test_values_survive_the_scanner_as_they_survive_the_fast_decoder(value: object):
    text = json.dumps(value, indent=1)
    assert parse("// forces the scanner\n" + text) == value
    assert parse(text) == value


def test_comments_and_trailing_commas_do_not_break_a_file():
    text = '\ufeff// top\n{ /* in */ "a": [1, 2,], // tail\n "u": "http://x/*y*/", }\n/* end */'
    assert parse(text) == {"a": [1, 2], "u": "http://x/*y*/"}


def test_the_last_of_two_equal_keys_wins():
    assert parse('{"a": 1, /**/ "a": 2}') == parse('{"a": 1, "a": 2}') == {"a": 2}


def test_surrogates_are_joined_and_lone_halves_do_not_poison_later_writes():
    assert parse('"\\ud83d\\ude00"') == "😀"
    value = parse('"x\\ud800y"')
    assert value == "x\ufffdy"
    assert str(value).encode()


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "empty"),
        ("  // only\n", 2, 1, "empty"),
        ('{"a" 1}', 1, 6, '":"'),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, '","'),
        ('{\n  "a": tru\n}', 2, 8, "a value"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ('{"a": 1} x', 1, 10, "after the end"),
        ('{"a": "x\ny"}', 1, 7, "line break"),
        ('{"a": "x', 1, 7, "end of the file"),
        ('{"a": /* x }', 1, 7, "never closed"),
        ('{"a": NaN}', 1, 7, "a value"),
        ('{"a": 1e999}', 1, 7, "too large"),
        ('{"a": 01}', 1, 7, "a value"),
        ('{"a": "\\q"}', 1, 8, "escape"),
        ('{"a": 1', 1, 8, "ends here"),
        ("{,}", 1, 2, "key"),
    ],
)
def test_an_error_names_line_column_and_reason(text: str, line: int, column: int, reason: str):
    with pytest.raises(JsoncError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason


@pytest.mark.parametrize("opening", ["[", '{"a":', "[ /**/", '{"a":[{"b":'])
def test_deep_nesting_is_refused_without_a_crash(opening: str):
    with pytest.raises(JsoncError, match="deep"):
        parse(opening * 100_000)


def test_a_huge_number_does_not_reach_the_interpreters_limit():
    with pytest.raises(JsoncError, match="too large"):
        parse("// c\n" + "9" * 10_000)


@pytest.mark.parametrize("filling", ["x", "*", "/", "\\n", "* /"])
def test_megabytes_of_comment_cost_little(filling: str):
    comment = f"/*{filling * 1_000_000}*/"
    assert parse(f"{comment}{{{comment}}}{comment}") == {}
    with pytest.raises(JsoncError, match="never closed"):
        parse("{" + comment[:-2])


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:/*\\ \n\tau1e-.tfn\ufeff', max_size=40))
def test_any_text_gives_a_value_or_a_clean_error(text: str):
    try:
        value = parse(text)
    except JsoncError as error:
        assert 1 <= error.line <= text.count("\n") + 1
        assert error.column >= 1
    else:
        json.dumps(value)
