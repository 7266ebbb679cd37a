"""Finds and reads the transcripts of Cursor's agent.

A project's folder name loses information, so it is computed from the path and never decoded.
Times come from the file where the lines have none.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.transcripts.coerce import as_dict, as_str, dicts
from gemini_cli.transcripts.cursor.message import parse, parse_text, query_of
from gemini_cli.transcripts.errors import SessionTooLargeError
from gemini_cli.transcripts.gemini.summary import title_of
from gemini_cli.transcripts.lines import head_and_tail, opened, read_records
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import (
    children,
    head_of,
    mtime_ms,
    plain_id,
    project_roots,
    size_of,
    under_home,
    walk,
)
from gemini_cli.transcripts.registry import Found

_SUFFIXES = (".jsonl", ".txt")


def slug(path: str) -> str:
    """The folder name of a project."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")


class CursorLoader:
    """Transcripts under `projects/*/agent-transcripts`."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id (a file's name), sub-agents too; else the newest with a prompt."""
        if query.session_id is None:
            paths = [p for p in _files(query, env) if "subagents" not in p.parts]
            paths.sort(key=mtime_ms, reverse=True)
            newest = next((path for path in paths if _first_query(path)), None)
            return Found(newest, newest.stem) if newest else None
        if not plain_id(query.session_id):
            return None
        fitting = (p for p in _files(query, env) if p.stem == query.session_id)
        found = min(fitting, key=lambda p: p.suffix, default=None)
        return Found(found, query.session_id) if found else None

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The messages of one transcript."""
        session_id = found.session_id or found.path.stem
        before = mtime_ms(found.path)
        if found.path.suffix == ".txt":
            yield from _text_messages(found.path, session_id, before, options)
            return
        for record in read_records(found.path, report, options.max_line_bytes):
            message = parse(record.value, record.number, before_ms=before, session_id=session_id)
            if message is None:
                continue
            before = message.timestamp
            if options.include_meta or not message.is_meta:
                yield message

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """One entry per transcript with a prompt, sub-agents left out."""
        for path in _files(query, env):
            if "subagents" in path.parts:
                continue
            info = _info(path, query)
            if info is not None:
                yield info


def _text_messages(
    path: Path, session_id: str, before: int, options: LoadOptions
) -> Iterator[UnifiedMessage]:
    with opened(path) as stream:
        data = stream.read(options.max_file_bytes + 1)
    if len(data) > options.max_file_bytes:
        raise SessionTooLargeError(str(path), size_of(path), options.max_file_bytes)
    lines = data.decode("utf-8", "replace").splitlines()
    yield from parse_text(lines, at_ms=before, session_id=session_id)


def _files(query: SessionQuery, env: Mapping[str, str]) -> Iterator[Path]:
    projects = under_home(env, "CURSOR_HOME", ".cursor") / "projects"
    wanted = None
    if query.project_path is not None:
        wanted = {slug(root) for root in project_roots(query.project_path)}
    for folder in children(projects):
        if wanted is None or folder.name in wanted:
            below = walk(folder / "agent-transcripts")
            yield from (path for path in below if path.suffix in _SUFFIXES)


def _info(path: Path, query: SessionQuery) -> SessionInfo | None:
    prompt = _first_query(path)
    if not prompt:
        return None
    written = mtime_ms(path)
    return SessionInfo(
        tool="cursor",
        id=path.stem,
        path=str(path),
        title=title_of(prompt, 200),
        first_prompt=title_of(prompt, 200),
        project_path=query.project_path,
        created_at=written,
        updated_at=written,
        size=size_of(path),
    )


def _first_query(path: Path) -> str | None:
    try:
        if path.suffix == ".txt":
            texts = [(head_of(path) or b"").decode("utf-8", "replace")]
        else:
            texts = [
                as_str(item.get("text"))
                for record in head_and_tail(path)
                if record.get("role") == "user"
                for item in dicts(as_dict(record.get("message")).get("content"))
            ]
    except SessionProblem:
        return None
    marked = [query_of(text) for text in texts if "<user_query>" in text]
    return next(iter(marked or texts), None)


LOADER = CursorLoader()
