"""A model cannot drive the terminal, however its text is cut."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.formats.escapes import EscapeFilter, without_escapes

EVIL = (
    "a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x9b2Jc\x07\x00\rd\x1bPq\x1b\\e"
)


def test_sequences_and_control_characters_are_taken_out():
    assert without_escapes(EVIL) == "aredblinkcde"


def test_ordinary_text_is_left_alone():
    text = "zeile\tmit\nüöä 漢字 🎉\r\n"
    assert without_escapes(text) == text


@given(st.lists(st.integers(0, len(EVIL)), max_size=6))
def test_where_the_text_is_cut_makes_no_difference(cuts: list[int]):
    filter_ = EscapeFilter()
    edges = [0, *sorted(cuts), len(EVIL)]
    pieces = [EVIL[a:b] for a, b in itertools.pairwise(edges)]
    assert "".join(map(filter_.feed, pieces)) + filter_.end() == "aredblinkcde"


@given(st.text(alphabet=st.sampled_from("ab\x1b[]0;m\x07\x9b\x9d\x90\\\r\n(Pq1"), max_size=60))
def test_nothing_that_could_start_a_sequence_is_left(text: str):
    clean = without_escapes(text)
    assert "\x1b" not in clean and "\x9b" not in clean and "\x07" not in clean


def test_sequences_of_eight_bits_take_their_content_along():
    assert without_escapes("a\x9d52;c;AAAA\x07b\x90q\x9cc\x9b31md") == "abcd"


def test_words_behind_a_title_that_never_ends_are_not_lost():
    shown = without_escapes("one\x1b]0;title\nthe answer")
    assert shown == "one]0;title\nthe answer"


def test_text_cannot_be_turned_round_to_read_as_another_command():
    assert without_escapes("rm \u202etxt.a\u202c \u2066b\u2069") == "rm txt.a b"
    assert without_escapes("\u200fשלום 👩\u200d👩") == "\u200fשלום 👩\u200d👩"


def test_an_endless_sequence_does_not_swallow_the_answer():
    filter_ = EscapeFilter()
    shown = filter_.feed("\x1b]0;" + "x" * 10_000)
    assert shown.count("x") == 10_000
