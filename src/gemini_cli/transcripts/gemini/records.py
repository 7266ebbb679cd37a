"""The records of one Gemini session file that remain after replay, in the memory of one line.

A log is read twice: first to learn which line holds each message that survives, then to fetch
those. An old file is a single JSON object and is held whole, up to a limit.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Raw, Struct

from gemini_cli.ground.formats.session_file import SessionReplay, record_kind
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict, dicts
from gemini_cli.transcripts.errors import SessionCorruptError, SessionTooLargeError
from gemini_cli.transcripts.lines import BOM, decode, opened, raw_lines
from gemini_cli.transcripts.model import LoadReport
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.places import head_of, size_of

_LISTS_HELD = 2
"""Lines with a list of messages that are kept while messages of other lines come in between."""
Place = tuple[int, int]
"""Byte offset of a line and the index in its `messages`, -1 for a line that is the message."""


class _Probe(Struct, rename={"rewind": "$rewindTo", "change": "$set"}):
    """The few keys that tell what a line is; the rest of it is not built."""

    id: Raw = Raw(b"")
    rewind: Raw = Raw(b"")
    change: Raw = Raw(b"")
    session: Raw = msgspec.field(default=Raw(b""), name="sessionId")
    messages: Raw = Raw(b"")


_probe = msgspec.json.Decoder(_Probe).decode


class Replayed(Struct):
    """What a file comes to: metadata, and either places in the log or the messages themselves."""

    metadata: JsonObject
    places: list[Place]
    held: list[JsonObject]


def replayed(path: Path, options: LoadOptions, report: LoadReport) -> Replayed:
    """The first reading. Raises `SessionCorruptError` when there is nothing to decode."""
    if path.suffix == ".json":
        _check_size(path, options)
    if is_one_object(path):
        whole = _whole(path, options)
        if whole is not None:
            report.lines = 1
            return whole
    own = LoadReport()
    with opened(path) as stream:
        state = _index(stream, own, options)
    if state.has_header or (len(state) and own.bad_lines == 0 and own.lines > 1):
        report.lines, report.bad_lines = own.lines, own.bad_lines
        report.oversized_lines, report.torn_tail = own.oversized_lines, own.torn_tail
        return Replayed(state.metadata, list(state.held()), [])
    if own.lines == 0 and own.oversized_lines == 0:
        return Replayed({}, [], [])
    whole = _whole_or_log(path, options, has_log=len(state) > 0)
    if whole is None:
        report.lines, report.bad_lines = own.lines, own.bad_lines
        return Replayed(state.metadata, list(state.held()), [])
    report.lines = 1
    return whole


def _index(stream: BinaryIO, report: LoadReport, options: LoadOptions) -> SessionReplay[Place]:
    offset = 0
    state: SessionReplay[Place] = SessionReplay(lambda _message, position: (offset, position))
    for line in raw_lines(stream, report, options.max_line_bytes):
        offset = line.offset
        try:
            _feed(state, line.data)
        except (ValueError, RecursionError):
            report.bad_lines += 1
    return state


def _feed(state: SessionReplay[Place], data: bytes) -> None:
    """Most lines are messages: of those only the id is looked at."""
    try:
        probe = _probe(data)
    except ValueError:
        state.feed(decode(data))
        return
    name = bytes(probe.id)
    if name.startswith(b'"') and not bytes(probe.rewind):
        state.feed({"id": decode(name)})
    elif bytes(probe.rewind) or bytes(probe.change) or bytes(probe.session):
        state.feed(decode(data))


def is_one_object(path: Path) -> bool:
    """Whether the file is printed over many lines, as the old generation is.

    Without this look each of its lines would be tried as a record, which takes ten times longer.
    """
    lines = (head_of(path) or b"").removeprefix(BOM).split(b"\n")
    if len(lines) < 2 or not lines[0].rstrip().endswith((b"{", b"[", b",")):
        return False
    return not any(_is_record(line) for line in lines[1:-1])


def _is_record(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return record_kind(decode(line)) != "other"
    except ValueError:
        return False


def _whole_or_log(path: Path, options: LoadOptions, *, has_log: bool) -> Replayed | None:
    """For files that look like neither: what the log holds counts if the whole says nothing."""
    try:
        found = _whole(path, options)
    except SessionTooLargeError:
        if has_log:
            return None
        raise
    if found is None and not has_log:
        raise SessionCorruptError(str(path), "it is not JSON")
    return found


def _check_size(path: Path, options: LoadOptions) -> None:
    size = size_of(path)
    if size > options.max_file_bytes:
        raise SessionTooLargeError(str(path), size, options.max_file_bytes)


def _whole(path: Path, options: LoadOptions) -> Replayed | None:
    """The file as one JSON object: the old generation, or a single bare message."""
    _check_size(path, options)
    with opened(path) as stream:
        data = stream.read(options.max_file_bytes)
    try:
        return _old_generation(decode(data.removeprefix(BOM).strip()))
    except ValueError:
        return None


def _old_generation(found: JsonValue) -> Replayed:
    if isinstance(found, list):  # a bare list of messages
        return Replayed({}, [], dicts(found))
    session = as_dict(found)
    if "messages" not in session and record_kind(session) == "message":
        return Replayed({}, [], [session])
    metadata = {key: value for key, value in session.items() if key != "messages"}
    return Replayed(metadata, [], dicts(session.get("messages")))


def fetched(
    path: Path, found: Replayed, options: LoadOptions, report: LoadReport
) -> Iterator[JsonObject]:
    """The second reading: the surviving messages themselves, in order."""
    yield from found.held
    if not found.places:
        return
    with opened(path) as stream:
        lists: dict[int, JsonValue] = {}
        for offset, position in found.places:
            line = lists.get(offset)
            if line is None:
                stream.seek(offset)
                line = _line(stream, options, report)
            message = line if position < 0 else _nested(line, position)
            if position >= 0 and offset not in lists:
                if len(lists) == _LISTS_HELD:
                    del lists[next(iter(lists))]
                lists[offset] = line
            if isinstance(message, dict):
                yield message


def _line(stream: BinaryIO, options: LoadOptions, report: LoadReport) -> JsonValue:
    try:
        return decode(stream.readline(options.max_line_bytes + 1))
    except ValueError:
        report.bad_lines += 1
        return None


def _nested(line: JsonValue, position: int) -> JsonValue:
    record = as_dict(line)
    change = record.get("$set")
    messages = (change if isinstance(change, dict) else record).get("messages")
    return messages[position] if isinstance(messages, list) and position < len(messages) else None
