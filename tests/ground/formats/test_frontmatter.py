"""Heads of Markdown files mean what their author meant, and cannot hurt us."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.formats.frontmatter import load_yaml, plain_fields, split


def test_head_and_body_are_told_apart():
    found = split("---\nname: a\ntools: [x, y]\n---\n\n# Hi\n---\nmore\n")
    assert found.head == {"name": "a", "tools": ["x", "y"]}
    assert found.body == "# Hi\n---\nmore"
    assert found.problem is None


@pytest.mark.parametrize("text", ["# no head", "---\nnever: closed\n", "", " ---\na: 1\n---\n"])
def test_a_file_without_a_head_is_all_body(text):
    found = split(text)
    assert (found.head, found.body, found.problem) == (None, text.strip(), None)


def test_windows_files_and_byte_order_marks_are_read():
    found = split("\ufeff---\r\nname: a\r\n---\r\nbody\r\n")
    assert (found.head, found.body) == ({"name": "a"}, "body")


def test_a_head_may_be_empty_or_end_the_file():
    assert split("---\n---\nbody").head is None
    assert split("---\na: 1\n---").head == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("y", "y"), ("=", "="),
        ("true", True), ("FALSE", False), ("~", None), ("null", None), ("", None),
        ("12", 12), ("012", 12), ("0o14", 12), ("0x1F", 31), ("-3", -3), ("1_000", "1_000"),
        ("190:20:30", "190:20:30"), ("1.5", 1.5), ("1e3", 1000.0), (".inf", math.inf),
        ("2024-01-02", "2024-01-02"), ("2024-01-02 10:00:00", "2024-01-02 10:00:00"),
        ("0.61", 0.61), ("1.2.3", "1.2.3"), ("'yes'", "yes"),
    ],
)  # fmt: skip
def test_scalars_are_those_of_yaml_1_2(text, value):
    assert load_yaml(f"a: {text}") == {"a": value}


def test_merge_keys_and_aliases_work_in_moderation():
    assert load_yaml("a: &x {k: 1}\nb:\n  <<: *x\n  l: 2\nc: *x") == {
        "a": {"k": 1}, "b": {"k": 1, "l": 2}, "c": {"k": 1},
    }  # fmt: skip


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGE_BOMB = "a: &a {k: 1}\n" + "".join(
    f"{new}: &{new} {{<<: [{', '.join(['*' + old] * 9)}]}}\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (BOMB, "aliases"),
        (MERGE_BOMB, "aliases"),
        ("a: &a [*a]", "itself"),
        ("a: " + "[" * 30_000, "deeper"),
        ("a: " + "{a: " * 100 + "1" + "}" * 100, "deeper"),
        ("a: " + "x" * 70_000, "larger"),
        ("a: b: c", "line 1, column 5"),
        ("a: !!python/object/apply:os.system ['true']", "line 1"),
        ("a: *nowhere", "line 1"),
        ("a: " + "9" * 5000, "digits"),
        ("a: '\x00'", "."),
        ("a: 1\n---\nb: 2", "line 2"),
        ("? [a]\n: 1", "."),
    ],
)
def test_hostile_or_broken_heads_are_a_problem_and_not_a_crash(source, words):
    with pytest.raises(ValueError, match=words):
        load_yaml(source)


@given(st.text(alphabet="-:[]{}&*!|>'\"%@`#,? \n\tab1~<=.", max_size=80))
def test_no_text_crashes_the_reader(text):
    found = split(f"---\n{text}\n---\nbody")
    assert found.problem is None or found.head is None
    plain_fields(text, frozenset({"a", "b"}))


def test_a_colon_in_a_description_does_not_lose_the_skill():
    source = "name: pdf\ndescription: Use for: PDF files\n  and forms\n\tof all kinds\nx: y\n"
    found = split(f"---\n{source}---\nbody")
    assert found.problem is not None
    assert plain_fields(found.source, frozenset({"name", "description"})) == {
        "name": "pdf",
        "description": "Use for: PDF files and forms of all kinds",
    }


@pytest.mark.parametrize(
    "head",
    ["!!bool x", "!!float", "!!int x", "a: !!timestamp 2020-01-01", "!!binary AAAA", "!!set {a}",
     "!!omap [a: 1]", "!!timestamp x", "a: !own x"],
)  # fmt: skip
def test_a_tagged_value_is_a_problem_and_never_an_object_of_pythons(head: str):
    found = split(f"---\n{head}\n---\nbody")
    assert found.head is None and found.problem and found.body == "body"
