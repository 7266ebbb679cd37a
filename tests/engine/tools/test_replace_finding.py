"""The text to replace is found however it was quoted, and never where it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.engine.tools.edit import diff
from gemini_cli.engine.tools.edit.fuzzy import distance, score, similar_windows
from gemini_cli.engine.tools.edit.placeholders import omissions
from gemini_cli.engine.tools.edit.strategies import equal_windows, replace
from gemini_cli.engine.tools.names import distance as plain_distance

words = st.text(alphabet="ab \n", max_size=12)


def outcome(text, old, new, **more):
    found = replace(text, old, new, **more)
    return found.text, found.count, found.strategy


def test_special_characters_are_only_characters():
    assert outcome("a.*b $1", ".*", r"\1$&") == (r"a\1$&b $1", 1, "exact")


def test_two_places_are_counted_and_left_alone_unless_all_are_meant():
    assert outcome("x\nx\n", "x", "y") == ("x\nx\n", 2, "exact")
    assert outcome("x\nx\n", "x", "y", multiple=True) == ("y\ny\n", 2, "exact")


def test_another_indentation_is_taken_over():
    text = "def f():\n        if a:\n            b()\n    c()\n"
    old = "if a:\n    b()"
    new = "if a and d:\n    b()\n\n    e()"
    assert outcome(text, old, new) == (
        "def f():\n        if a and d:\n            b()\n\n            e()\n    c()\n",
        1,
        "flexible",
    )


def test_a_final_newline_in_the_quote_is_not_another_line():
    assert outcome("  a\n  b\nc\n", "a\nb\n", "x\n") == ("  x\nc\n", 1, "flexible")
    assert outcome("  a\n  b\nc\n", "a\nb\n", "") == ("c\n", 1, "flexible")


def test_flexible_matches_are_counted_all():
    assert outcome("  a \n\ta\n", "a  ", "b", multiple=True) == ("  b\n\tb\n", 2, "flexible")


def test_tokens_match_over_any_white_space():
    text = "    foo( a,\n      b ) {\n"
    assert outcome(text, "foo(a, b){", "bar(a) {") == ("    bar(a) {\n", 1, "regex")


def test_a_typing_slip_is_forgiven_and_reported():
    text = "one\n    total = price * amount + shipping_costs\nthree\n"
    found = replace(text, "    total = price * amount + shiping_costs", "    total = 0")
    assert (found.text, found.strategy) == ("one\n    total = 0\nthree\n", "fuzzy")
    assert found.ranges == ((2, 2),)


def test_something_else_is_not_taken_for_the_text():
    text = "total = price * amount\n" * 3
    assert outcome(text, "result = compute(value)", "x") == (text, 0, "none")


def test_a_short_text_is_never_guessed():
    assert outcome("abcdefgh\n", "abcdefgi", "x")[1:] == (0, "none")


def test_blank_text_is_only_found_literally():
    assert outcome("a\n\nb\n", "\n\n", "\n") == ("a\nb\n", 1, "exact")
    assert outcome("a\nb\n", "\t", "x") == ("a\nb\n", 0, "none")


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_final_newline_stays_as_it_was(end: str):
    assert outcome("a\nb" + end, "b", "c\n" if not end else "c")[0] == "a\nc" + end
    assert outcome("a\nb" + end, "b" + end, "c")[0] == "a\nc" + end


@given(words, words, words)
def test_whatever_is_asked_the_other_lines_stay(text: str, old: str, new: str):
    if not old:
        return
    found = replace(text, old, new, multiple=True)
    if found.count == 0:
        assert found.text == text
    elif found.strategy == "exact":
        plain = text.replace(old, new)
        assert found.text.rstrip("\n") == plain.rstrip("\n")


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_fast_distance_is_the_distance(left: str, right: str):
    assert distance(left, right) == plain_distance(left, right)


@given(st.lists(st.text(alphabet="ab c", max_size=6), min_size=1, max_size=8))
def test_the_cheap_bound_never_hides_a_match(lines: list[str]):
    wanted = ["ab ca", "c b"]
    block = "\n".join(wanted)
    good = [
        start
        for start in range(len(lines) - 1)
        if score("\n".join(lines[start : start + 2]), block) is not None
    ]
    found = similar_windows(lines, wanted)
    assert set(found) <= set(good)
    assert bool(found) == bool(good)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("// rest of code ...", True),
        ("(rest of methods...)", True),
        ("  // (unchanged code ....)", True),
        ("Rest  of ...", True),
        ("# rest of code ...", False),
        ("rest of code", False),
        ("rest of code ... etc", False),
        ("the rest of code ...", False),
        ("...", False),
    ],
)
def test_placeholders_for_code_left_out(line: str, found: bool):
    assert bool(omissions(f"a\n{line}\nb")) is found


@given(st.text(alphabet="ab\n", max_size=30), st.text(alphabet="ab\n", max_size=30))
def test_a_patch_leads_from_the_old_text_to_the_new(old: str, new: str):
    assert applied(diff.patch("f", old, new, ("a", "b")), old) == new


def applied(patch: str, old: str) -> str:
    """Applies a unified patch, strictly."""
    source = old.splitlines(keepends=True)
    result: list[str] = []
    at = 0
    lines = patch.split("\n")[4:-1]
    for number, line in enumerate(lines):
        if line.startswith("@@"):
            start, count = line.split()[1].lstrip("-").split(",")
            begin = int(start) - (1 if int(count) else 0)
            result += source[at:begin]
            at = begin
            continue
        if line.startswith("\\"):
            continue
        bare = lines[number + 1 : number + 2] == ["\\ No newline at end of file"]
        text = line[1:] + ("" if bare else "\n")
        if line[0] in " -":
            assert source[at] == text
            at += 1
        if line[0] in " +":
            result.append(text)
    return "".join(result + source[at:])


def test_a_change_in_a_long_file_is_shown_with_five_lines_around():
    old = "".join(f"{n}\n" for n in range(1, 41))
    new = old.replace("20\n", "twenty\n").replace("23\n", "")
    shown = diff.excerpt(old, new).split("\n")
    assert shown[0] == shown[-1] == "..."
    assert shown[1:-1] == [
        "15",
        "16",
        "17",
        "18",
        "19",
        "twenty",
        "21",
        "22",
        "24",
        "25",
        "26",
        "27",
        "28",
    ]


def test_ten_characters_are_too_few_to_guess():
    assert replace("abcdefghiX\n", "abcdefghij", "new").strategy == "fuzzy"
    assert replace("abcdefghX\n", "abcdefghi", "new").strategy == "none"


@given(st.text(alphabet="ab \n", max_size=30), st.text(alphabet="ab \n", min_size=1, max_size=8))
def testequal_windows_of_lines_are_those_a_plain_search_finds(text, old):
    lines, wanted = text.split("\n"), old.split("\n")
    plain, at = [], 0
    while at < len(lines):
        if lines[at : at + len(wanted)] == wanted:
            plain.append(at)
            at += len(wanted)
        else:
            at += 1
    assert equal_windows(lines, wanted) == plain


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("  a\n" * 300_000, " a\n" * 1_500 + "b"),
        ("hello\n", "( x" * 1_000_000),
        ("ab\n" * 1_000_000, "a b\n" * 300_000 + "c"),
        ("a(b\n" * 50_000 + " q", "( a ( b" * 2_000 + " q"),
    ],
    ids=["lines", "longer", "tokens", "delimiters"],
)
def test_no_text_makes_the_search_take_minutes(text: str, old: str):
    assert outcome(text, old, "z")[1] == 0


@pytest.mark.parametrize("line", ["x" + " " * 200_000 + "b", "." * 200_000 + "b"])
def test_a_long_line_is_no_omission_and_takes_no_minutes(line: str):
    assert omissions(line) == frozenset()
