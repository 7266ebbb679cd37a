import pytest

from engine.model.fakes import call, model, reply, user
from gemini_cli.engine.model import estimate_messages, estimate_text, estimate_tokens
from gemini_cli.protocol.messages import Blob, Opaque, Reply, Text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcd", 1),
        ("äöü", 4.5),
        ("ab界", 2.0),
        ("😀", 3.0),
        ("a" * 100_004, 25_001),
        ("ä" * 100_004, 25_001),
        ("\ud800", 1.5),
    ],
)
def test_text_is_weighed_by_its_characters(text, tokens):
    assert estimate_text(text) == tokens


def test_parts_have_their_documented_weight():
    assert estimate_tokens([Blob("image/png", b"x" * 9999)]) == 3000
    assert estimate_tokens([Blob("application/pdf", b"x")]) == 25_800
    assert estimate_tokens([Text("abc"), Text("abc")]) == 1
    wire = '{"functionCall":{"id":"1","name":"ls","args":{"path":"x"}}}'
    assert estimate_tokens([call("ls", path="x")]) == len(wire) // 4
    assert estimate_tokens([reply("ls", "four")]) == (2 + len('{"output":"four"}')) // 4
    picture = Reply("ls__1", "ls", (Blob("image/png", b"x"),))
    assert estimate_tokens([picture]) == 3000 + (2 + len('{"output":""}')) // 4
    assert estimate_tokens([Opaque({"x": 1})]) == len('{"x":1}') // 4
    assert estimate_tokens([Blob("audio/mp3", b"x" * 3000)]) > 1000


def test_a_history_is_the_sum_of_its_parts():
    assert estimate_messages([user("abcd"), model("abcd", "ab")]) == 2
