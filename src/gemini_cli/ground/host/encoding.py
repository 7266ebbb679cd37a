"""Turns the bytes of a text file into text and back without changing what was not edited.

It remembers encoding, byte order mark, line ending and final newline as a `TextForm`.
It refuses to guess legacy code pages: without a mark, text is UTF-8.
"""

import codecs
from typing import Literal

import msgspec

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]

# The UTF-32-LE mark begins with the UTF-16-LE one, so the longer marks come first.
MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MARK_OF: dict[Encoding, bytes] = {encoding: mark for mark, encoding in MARKS}

SNIFFED_BYTES = 4096
# Control characters that text does not hold; tab, newlines, form feed, backspace and escape do.
CONTROL_BYTES = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27}) + b"\x7f"


class TextForm(msgspec.Struct, frozen=True):
    """How a text was stored. `escaped` marks bytes that are not of the encoding (see `decode`)."""

    encoding: Encoding = "utf-8"
    bom: bool = False
    newline: Literal["\n", "\r\n"] = "\n"
    final_newline: bool = True
    escaped: bool = False


class Decoded(msgspec.Struct, frozen=True):
    """A text, without its byte order mark, and how it was stored."""

    text: str
    form: TextForm


def mark_of(data: bytes) -> tuple[Encoding, int] | None:
    """The encoding a byte order mark announces, and the mark's length."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return None


def decode(data: bytes, *, exact: bool = False) -> Decoded:
    """Text of `data`; a byte order mark decides the encoding, else it is UTF-8.

    Bytes that do not fit become U+FFFD. With `exact` they are kept as surrogate escapes
    (UTF-8 only), so that `encode` writes them back unharmed; show such text by `readable`.
    """
    marked = mark_of(data)
    encoding, skip = marked if marked else ("utf-8", 0)
    body = data[skip:]
    escaped = False
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        escaped = exact and encoding == "utf-8"
        text = body.decode(encoding, "surrogateescape" if escaped else "replace")
    form = TextForm(
        encoding=encoding,
        bom=marked is not None,
        newline="\r\n" if "\r\n" in text else "\n",
        final_newline=text.endswith("\n"),
        escaped=escaped,
    )
    return Decoded(text, form)


def encode(text: str, form: TextForm) -> bytes:
    """The bytes `text` has in `form`: its encoding, mark and line ending."""
    if form.newline == "\r\n":
        text = unix_newlines(text).replace("\n", "\r\n")
    mark = MARK_OF[form.encoding] if form.bom else b""
    errors = "surrogateescape" if form.escaped else "strict"
    try:
        return mark + text.encode(form.encoding, errors)
    except UnicodeEncodeError:
        return mark + readable(text).encode(form.encoding)


def unix_newlines(text: str) -> str:
    """CRLF becomes LF; a lone CR is content and stays."""
    return text.replace("\r\n", "\n")


def readable(text: str) -> str:
    """Surrogate pairs joined, lone surrogates replaced: text that every encoding can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def looks_binary(data: bytes) -> bool:
    """Whether the start of a file cannot be text: a NUL, or too many control characters."""
    head = data[:SNIFFED_BYTES]
    if not head or mark_of(head):
        return False
    if b"\0" in head:
        return True
    controls = len(head) - len(head.translate(None, CONTROL_BYTES))
    return controls * 10 > len(head)
