"""A text file before an edit, and the bytes it has after one.

Encoding, byte order mark, line endings (also mixed ones) and bytes that are not text survive
wherever the edit did not touch them. It decides nothing about paths or permissions.
"""

import os
from pathlib import Path
from typing import Literal

import msgspec

from gemini_cli.engine.tools.edit.diff import changes
from gemini_cli.engine.tools.read_file import read_whole
from gemini_cli.ground.host.encoding import (
    TextForm,
    decode,
    encode,
    looks_binary,
    readable,
    unix_newlines,
)
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.tools import ToolContext

OS_NEWLINE: Literal["\n", "\r\n"] = "\r\n" if os.linesep == "\r\n" else "\n"


class TextFile(msgspec.Struct, frozen=True):
    """What a file held; `text` has `\\n` line ends, `stored` the ones on disk."""

    path: Path
    text: str
    stored: str
    form: TextForm
    exists: bool = True

    def bytes_with(self, text: str) -> bytes:
        """The bytes to write so that the file reads `text`."""
        if self.form.newline == "\n" or "\n" not in self.stored.replace("\r\n", ""):
            return encode(text, self.form)
        kept = msgspec.structs.replace(self.form, newline="\n")
        return encode(_with_old_endings(self.stored, text), kept)


def missing_file(path: Path) -> TextFile:
    """A file that is not there yet."""
    return TextFile(path, "", "", TextForm(newline=OS_NEWLINE), exists=False)


async def load(ctx: ToolContext, path: Path) -> TextFile:
    """The text file at `path`, which exists. Raises `ToolProblem`, also for a binary file."""
    data = await read_whole(ctx, path)
    if looks_binary(data):
        raise ToolProblem(
            f"{path} is a binary file; its text cannot be replaced.", "edit_preparation_failure"
        )
    decoded = decode(data, exact=True)
    return TextFile(path, unix_newlines(decoded.text), decoded.text, decoded.form)


def shown(text: str) -> str:
    """The text as people and models may see it: bytes that are no text are marked."""
    return readable(text)


def _with_old_endings(stored: str, text: str) -> str:
    """`text` with CRLF, except where the same line, or the one it replaces, ended in a bare LF."""
    before = stored.split("\n")
    old_ends = ["\r\n" if line.endswith("\r") else "\n" for line in before]
    after = text.split("\n")
    ends = ["\r\n"] * len(after)
    old_at = new_at = 0
    for change in changes([line.removesuffix("\r") for line in before], after):
        same = change.old_from - old_at
        ends[new_at : new_at + same] = old_ends[old_at : old_at + same]
        replaced = old_ends[change.old_from : change.old_to]
        for offset in range(min(change.new_to - change.new_from, len(replaced))):
            ends[change.new_from + offset] = replaced[offset]
        old_at, new_at = change.old_to, change.new_to
    ends[new_at:] = old_ends[old_at:]
    ends[-1] = ""
    return "".join(line + end for line, end in zip(after, ends, strict=True))
