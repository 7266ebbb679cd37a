"""Reading `.env` text: every form people write, and nothing that can raise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.ground.formats.dotenv import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1\nB=two\n", {"A": "1", "B": "two"}),
        ("export A = 1\r\nB:  x\r\n", {"A": "1", "B": "x"}),
        ("# A=1\n\n  B=2 # why\nC=a#b\n", {"B": "2", "C": "a"}),
        ("A='# kept $X \\n' # gone\n", {"A": "# kept $X \\n"}),
        ('A="one\\ntwo \\"q\\" \\d"\n', {"A": 'one\ntwo "q" \\d'}),
        (
            'A="-----BEGIN\nline # 2\n-----END"\nB=1',
            {"A": "-----BEGIN\nline # 2\n-----END", "B": "1"},
        ),
        ('A=`it\'s "x"`', {"A": 'it\'s "x"'}),
        ('A="open\nB=2', {"A": '"open', "B": "2"}),
        ('A="x" y\n', {"A": '"x" y'}),
        ('A="C:\\dir\\"\nB="y"', {"A": "C:\\dir\\", "B": "y"}),
        ("A=\nB=''\nC", {"A": "", "B": ""}),
        ("A=1\nA=2", {"A": "2"}),
        ("A=x=y==\n", {"A": "x=y=="}),
        ("not a line\n=1\n$X=2\nÄ=1\nB=ok", {"B": "ok"}),
        ("\ufeffA=1", {"A": "1"}),
        ("A=a\0b\nB=1", {"B": "1"}),
    ],
)
def test_a_line_is_read_as_it_was_meant(text: str, expected: dict[str, str]):
    assert parse(text) == expected


@settings(deadline=None)
@given(st.text(alphabet="AB=:'\"`\\#\n\r \texport.$\0é", max_size=60))
def test_no_text_raises_and_every_value_can_go_into_an_environment(text: str):
    for name, value in parse(text).items():
        assert name
        assert "\0" not in name + value


def test_a_long_open_quote_does_not_hang():
    assert parse('A="' + "\\x" * 50_000 + "\nB=1")["B"] == "1"
