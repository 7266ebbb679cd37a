"""Text survives being read, edited and written."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.ground.host import encoding
from gemini_cli.ground.host.encoding import TextForm, decode, encode
from gemini_cli.ground.host.filetype import classify

FORMS = st.builds(
    TextForm,
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    bom=st.just(True),
    newline=st.sampled_from(["\n", "\r\n"]),
)


@given(FORMS, st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", codec="utf-8"))))
def test_a_rewrite_does_not_change_encoding_mark_or_line_ending(form, lines):
    data = encode("\n".join(lines), form)
    again = decode(data)
    assert encode(encoding.unix_newlines(again.text), again.form) == data


def test_an_edit_of_a_utf16_file_leaves_the_rest_of_its_bytes_alone():
    data = codecs.BOM_UTF16_LE + "eins\r\nzwei ä\r\n".encode("utf-16-le")
    found = decode(data)
    edited = encoding.unix_newlines(found.text).replace("eins", "one")
    assert encode(edited, found.form) == codecs.BOM_UTF16_LE + "one\r\nzwei ä\r\n".encode(
        "utf-16-le"
    )
    assert found.form == TextForm("utf-16-le", True, "\r\n", True)


def test_utf32_is_not_mistaken_for_utf16():
    assert decode(codecs.BOM_UTF32_LE + "x".encode("utf-32-le")).text == "x"


@given(st.binary(max_size=200))
def test_bytes_that_are_not_utf8_survive_an_exact_edit(data):
    found = decode(b"head\n" + data, exact=True)
    if found.form.newline == "\n" and not found.form.bom:
        assert encode(found.text, found.form) == b"head\n" + data
    encoding.readable(found.text).encode()


def test_bad_bytes_are_shown_as_replacement_characters():
    assert decode(b"a\xffb").text == "a\ufffdb"


def test_surrogates_from_a_model_do_not_break_writing():
    assert encode("a\ud83d\ude00b\udc80", TextForm()) == "a\U0001f600b\ufffd".encode()


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.ts", b"\x00\x01", "text"),
        ("a.mts", b"G@\x00", "text"),
        ("a.svg", b"<svg/>", "svg"),
        ("A.PNG", b"plain words", "image"),
        ("a.pdf", b"%PDF", "pdf"),
        ("a.mp3", b"ID3\x00\x00", "audio"),
        ("a.mp3", b"#EXTM3U list", "text"),
        ("a.mp4", b"\x00\x00\x00 ftyp", "video"),
        ("a.zip", b"", "binary"),
        ("a.pyc", b"text", "binary"),
        ("noext", b"hello\tworld\n", "text"),
        ("noext", b"\x7fELF\x02\x00", "binary"),
        ("log", b"\x1b[31mred\x1b[0m", "text"),
        ("utf16", codecs.BOM_UTF16_LE + b"a\x00", "text"),
        ("empty", b"", "text"),
        ("noise", bytes(range(1, 32)) * 8, "binary"),
    ],
)
def test_files_are_not_taken_for_another_kind(name, head, kind):
    assert classify(name, head).kind == kind
