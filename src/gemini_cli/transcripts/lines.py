"""JSON lines out of a file of any size, one at a time, whatever is wrong with some of them.

Lines over the cap are dropped and counted, torn and broken ones too; memory stays at one line.
It knows no vendor, and no line is ever the reason for an exception.
"""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.errors import MissingZstdError, SessionCorruptError
from gemini_cli.transcripts.model import LoadReport
from gemini_cli.transcripts.options import MIB

BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 20
_NEWLINE = 10
_LONGEST_HEAD = 16 * MIB
_decode = msgspec.json.Decoder().decode


class Line(Struct, gc=False):
    """A line's number (from 1), byte offset, and its bytes, the line end included."""

    number: int
    offset: int
    data: bytes


class Record(Struct, gc=False):
    """A decoded line; only JSON objects become records."""

    number: int
    value: JsonObject


def decode(data: bytes | str) -> JsonValue:
    """Any JSON text. The fast decoder first; lone surrogates and odd bytes take the slow road."""
    try:
        return _decode(data)
    except (ValueError, RecursionError):
        return _slowly_decoded(data)


def _slowly_decoded(data: bytes | str) -> JsonValue:
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(word: str) -> JsonValue:
    raise ValueError(f"{word} is not JSON")


def raw_lines(
    stream: BinaryIO,
    report: LoadReport,
    max_line_bytes: int = 64 * MIB,
    *,
    start: int = 0,
) -> Iterator[Line]:
    """Every non-blank line of a stream that is not over the cap."""
    offset, number, limit = start, 0, max_line_bytes + 1
    readline = stream.readline
    torn = report.torn_tail
    while chunk := readline(limit):
        number += 1
        here = offset
        offset += len(chunk)
        if chunk[-1] != _NEWLINE:  # the file's last line, or one over the cap
            report.torn_tail = torn = True
            if len(chunk) == limit:
                offset += _skip_rest(stream)
                report.oversized_lines += 1
                continue
        elif torn:
            report.torn_tail = torn = False
        if number == 1 and start == 0 and chunk.startswith(BOM):
            here, chunk = here + len(BOM), chunk[len(BOM) :]
        if chunk and not chunk.isspace():
            report.lines += 1
            yield Line(number, here, chunk)


def _skip_rest(stream: BinaryIO) -> int:
    skipped = 0
    while piece := stream.readline(_CHUNK):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def records(lines: Iterator[Line], report: LoadReport) -> Iterator[Record]:
    """The JSON objects among the lines. Scalars and arrays are skipped, broken ones counted."""
    for line in lines:
        try:
            value = _decode(line.data)
        except (ValueError, RecursionError):
            try:
                value = _slowly_decoded(line.data)
            except ValueError:
                report.bad_lines += 1
                continue
        if isinstance(value, dict):
            yield Record(line.number, value)
        else:
            report.skipped += 1


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file for reading, decompressed when its name ends in `.zst`."""
    try:
        if path.exists() and not path.is_file():
            raise SessionCorruptError(str(path), "it is not a file")
        with path.open("rb") as raw:
            if path.suffix == ".zst":
                with _unpacked(path, raw) as stream:
                    yield stream
            else:
                yield raw
    except OSError as error:
        raise SessionCorruptError(str(path), error.strerror or str(error)) from error


@contextmanager
def _unpacked(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    module = zstd_module(path)
    try:
        with module.ZstdFile(raw) as packed, io.BufferedReader(packed, _CHUNK) as stream:
            yield stream
    except (module.ZstdError, EOFError) as error:
        raise SessionCorruptError(str(path), f"broken Zstandard data: {error}") from error


def zstd_module(path: Path) -> Any:
    """The standard library's decoder on 3.14, the backport before."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return __import__(name, fromlist=["ZstdFile"])
    except ImportError as error:
        raise MissingZstdError(str(path)) from error


def read_records(
    path: Path, report: LoadReport, max_line_bytes: int = 64 * MIB
) -> Iterator[Record]:
    """All records of a JSONL file, `.zst` included."""
    with opened(path) as stream:
        yield from records(raw_lines(stream, report, max_line_bytes), report)


def head_and_tail(path: Path, span: int = 64 * 1024) -> list[JsonObject]:
    """The records within the first and last `span` bytes: enough to list a session."""
    report = LoadReport()
    with opened(path) as stream:
        head = stream.read(span)
        if len(head) == span and b"\n" not in head:
            head += stream.readline(_LONGEST_HEAD)
            span = len(head)
        if path.suffix == ".zst":
            whole, tail = len(head) < span, b""
        else:
            size = stream.seek(0, io.SEEK_END)
            whole = size <= span
            stream.seek(max(span, size - span))
            tail = b"" if whole else stream.read(span)
            if not whole and size > 2 * span:
                tail = tail.partition(b"\n")[2]
            elif not whole:
                head, tail = head + tail, b""
                whole = True
    if not whole:
        head = head.rpartition(b"\n")[0]
    blob = head + b"\n" + tail
    found = records(raw_lines(io.BytesIO(blob), report), report)
    return [record.value for record in found]
