"""Finds the file of a session, and reads what it holds.

A file name is only a hint: a session is identified by the id inside. Reading never changes a
file.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gemini_cli.engine.sessions.file import lines_of
from gemini_cli.ground.formats.session_file import (
    SessionReplay,
    is_resumable,
    record_kind,
    replay,
    short_id,
)
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject

SUFFIXES = (".jsonl", ".json")


class Stored(msgspec.Struct, frozen=True):
    """A session file, read."""

    path: Path
    metadata: JsonObject
    messages: list[JsonObject]


def file_name(started: str, session_id: str) -> str:
    """The usual name: the minute it began, and the beginning of its id."""
    return f"session-{started[:16].replace(':', '-')}-{short_id(session_id)}.jsonl"


def find(folder: Path, session_id: str) -> Path | None:
    """The file of this session in this folder, or None."""
    found = [path for path in _candidates(folder, session_id) if _id_in(path) == session_id]
    return found[0] if len(found) == 1 else max(found, key=_worth, default=None)


def read(path: Path) -> Stored:
    """Everything in a file. Raises `SessionProblem` for one that is no session."""
    state: SessionReplay[JsonObject] = SessionReplay(lambda message, _position: message)
    try:
        for record in lines_of(path):
            state.feed(record)
        if state.has_header:
            return Stored(path, state.metadata, list(state.held()))
        whole = json.loads(path.read_bytes())
        if isinstance(whole, dict):
            whole.setdefault("projectHash", "")
        metadata, messages = replay(iter([whole]))
    except (OSError, ValueError, RecursionError) as error:
        raise SessionProblem(
            f"The session file {path} cannot be read ({error}). Move it away, or start a new "
            "session without --resume."
        ) from error
    if not isinstance(metadata.get("sessionId"), str):
        raise SessionProblem(f"{path} is not a session file: it names no session.")
    return Stored(path, metadata, messages)


def _candidates(folder: Path, session_id: str) -> Iterator[Path]:
    ending = f"-{short_id(session_id)}"
    try:
        names = sorted(folder.iterdir())
    except OSError:
        return
    for path in names:
        if path.suffix in SUFFIXES and path.stem.endswith(ending) and path.is_file():
            yield path


def _id_in(path: Path) -> str | None:
    """The id in the first header; an old file of one object is read whole."""
    try:
        for record in lines_of(path):
            if record_kind(record) == "header" or (
                isinstance(record, dict) and isinstance(record.get("sessionId"), str)
            ):
                return str(record["sessionId"])
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    name = found.get("sessionId") if isinstance(found, dict) else None
    return name if isinstance(name, str) else None


def _worth(path: Path) -> tuple[bool, bool, float]:
    """Which of several files of one session to believe: one that holds a conversation first.

    Other programs leave files of the same id behind that hold nothing but the opening.
    """
    try:
        spoken = any(is_resumable(record) for record in read(path).messages)
        return (spoken, path.suffix == ".jsonl", path.stat().st_mtime)
    except (OSError, SessionProblem):
        return (False, False, 0.0)
