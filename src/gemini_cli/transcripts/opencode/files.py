"""OpenCode's older store: a JSON file for each session, message and part."""

from collections.abc import Iterator
from pathlib import Path

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_str, opt_str, time_ms
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.model import LoadReport, SessionInfo
from gemini_cli.transcripts.options import MIB
from gemini_cli.transcripts.places import children, head_of, mtime_ms, plain_id, size_of

Stored = tuple[str, JsonObject, list[JsonObject]]


def session_files(storage: Path) -> Iterator[Path]:
    """The file of every session."""
    for project in children(storage / "session"):
        yield from (path for path in children(project) if path.suffix == ".json")


def read(path: Path, report: LoadReport | None = None) -> JsonObject:
    """The object in a file; an empty one when it cannot be read."""
    counted = report or LoadReport()
    counted.lines += 1
    try:
        return as_dict(decode(head_of(path, 64 * MIB) or b""))
    except ValueError:
        counted.bad_lines += 1
        return {}


def info_of(path: Path) -> SessionInfo | None:
    """A session's file as a list shows it."""
    session = read(path)
    name = as_str(session.get("id")) or path.stem
    if not session:
        return None
    times = as_dict(session.get("time"))
    created = time_ms(times.get("created")) or mtime_ms(path)
    return SessionInfo(
        tool="opencode",
        id=name,
        path=str(path),
        title=as_str(session.get("title")) or name,
        project_path=opt_str(session.get("directory")),
        created_at=created,
        updated_at=time_ms(times.get("updated")) or created,
        size=size_of(path),
        parent_id=opt_str(session.get("parentID")),
    )


def messages(path: Path, report: LoadReport) -> Iterator[Stored]:
    """Each message of a session with its parts; ids grow with time, so names give the order."""
    storage = path.parent.parent.parent
    session_id = as_str(read(path, report).get("id")) or path.stem
    if not plain_id(session_id):
        return
    found = [(read(p, report), p) for p in children(storage / "message" / session_id)]
    for info, place in sorted(found, key=_made):
        name = as_str(info.get("id")) or place.stem
        if info and plain_id(name):
            parts = [read(part, report) for part in children(storage / "part" / name)]
            yield name, info, [part for part in parts if part]


def _made(found: tuple[JsonObject, Path]) -> tuple[int, str]:
    info, place = found
    return time_ms(as_dict(info.get("time")).get("created")) or 0, place.name
