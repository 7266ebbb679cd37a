"""Finds and reads the sessions of OpenCode: in its database, or in its older tree of files.

A session is named by its id, as one database holds them all; the database is only read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.transcripts.coerce import as_str
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.opencode import database, files
from gemini_cli.transcripts.opencode.message import parse_rows
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import children, home_of, plain_id, project_roots, same_project
from gemini_cli.transcripts.registry import Found


def base(env: Mapping[str, str]) -> Path:
    """OpenCode's folder."""
    data = env.get("XDG_DATA_HOME")
    return (Path(data) if data else home_of(env) / ".local" / "share") / "opencode"


def databases(root: Path) -> list[Path]:
    """The databases of all release channels, the main one first."""
    found = [p for p in children(root) if p.suffix == ".db" and p.name.startswith("opencode")]
    return sorted(found, key=lambda path: (path.name != "opencode.db", path.name))


class OpencodeLoader:
    """Sessions of the database and of the tree under `storage/`."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id, sub-sessions and archived ones too; else the newest of its own."""
        wanted = query.session_id
        if wanted is not None and not plain_id(wanted):
            return None
        roots = _roots(query)
        every = [pair for pair in _all(base(env)) if _in_project(pair[0], roots)]
        if wanted is not None:
            known = [info for info, _ in every if info.id == wanted]
        else:
            known = [info for info, archived in every if not (archived or info.parent_id)]
        newest = max(known, key=lambda info: info.updated_at, default=None)
        return Found(Path(newest.path), newest.id) if newest else None

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The messages of one session."""
        session_id = found.session_id
        if found.path.suffix == ".json":
            stored = files.messages(found.path, report)
        else:
            session_id = session_id or _newest_id(found.path)
            stored = database.messages(found.path, session_id or "", report)
        before = 0
        for name, info, parts in stored:
            if not info and not parts:
                continue
            message = parse_rows(
                info,
                parts,
                message_id=name,
                session_id=session_id,
                before_ms=before,
                include_meta=options.include_meta,
            )
            before = message.timestamp
            if options.include_meta or not message.is_meta:
                yield message

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """Every session, archived ones only when asked for; sub-sessions name their parent."""
        seen: set[str] = set()
        roots = _roots(query)
        for info, archived in _all(base(env)):
            if info.id in seen or (archived and not query.include_archived):
                continue
            if _in_project(info, roots):
                seen.add(info.id)
                yield info


def _all(root: Path) -> Iterator[tuple[SessionInfo, bool]]:
    for path in databases(root):
        try:
            rows = database.sessions(path)
        except SessionProblem:
            continue
        for row in rows:
            yield database.info_of(row, path), row.get("time_archived") is not None
    for path in files.session_files(root / "storage"):
        info = files.info_of(path)
        if info is not None:
            yield info, False


def _roots(query: SessionQuery) -> list[str] | None:
    return None if query.project_path is None else project_roots(query.project_path)


def _in_project(info: SessionInfo, roots: list[str] | None) -> bool:
    return roots is None or same_project(info.project_path, roots)


def _newest_id(path: Path) -> str | None:
    rows = database.sessions(path)
    shown = [row for row in rows if not (row.get("parent_id") or row.get("time_archived"))]
    infos = [database.info_of(row, path) for row in shown or rows]
    newest = max(infos, key=lambda info: info.updated_at, default=None)
    return as_str(newest.id) if newest else None


LOADER = OpencodeLoader()
