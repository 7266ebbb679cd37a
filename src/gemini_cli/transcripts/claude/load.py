"""Finds and reads the stored sessions of Claude Code.

A file is read twice, first for the links between its lines and then for the lines to show, so
that memory stays small however long the session is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from gemini_cli.transcripts.claude import store
from gemini_cli.transcripts.claude.index import entries, last_of_response, visible
from gemini_cli.transcripts.claude.message import parse
from gemini_cli.transcripts.claude.summary import info_of
from gemini_cli.transcripts.lines import decode, opened, raw_lines
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import mtime_ms, plain_id
from gemini_cli.transcripts.registry import Found


class ClaudeLoader:
    """Sessions under `projects/` of Claude's configuration folders."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id (a file's name), in the project, then in its other worktrees; else the newest."""
        folders = _folders(query, env)
        if query.session_id is None:
            return _newest([path for folder in folders for path in store.session_files(folder)])
        if not plain_id(query.session_id):
            return None
        found = _by_id(folders, query.session_id)
        if found is None and query.project_path is not None:
            others = store.worktrees(query.project_path)
            folders = [f for other in others for f in store.project_folders(env, other)]
            found = _by_id(folders, query.session_id)
        return found

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The visible conversation, or every line under `branch="all"`."""
        every = options.branch == "all" or options.compat == "sdk"
        with opened(found.path) as stream:
            lines = raw_lines(stream, report, options.max_line_bytes)
            shown = visible(list(entries(lines, report)), options)
            counted = last_of_response(shown) if options.dedupe_usage else None
            before = 0
            for entry in shown:
                stream.seek(entry.offset)
                message = _parsed(stream.readline(), options, before)
                if message is None:
                    continue
                before = message.timestamp
                if message.is_meta and not (every or options.include_meta):
                    continue
                if counted is not None and entry.number not in counted:
                    message = replace(message, usage=None)
                yield message

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """Sessions whose file is named by a UUID and that somebody said something in."""
        for folder in _folders(query, env):
            for path in store.session_files(folder):
                if store.UUID.fullmatch(path.stem):
                    info = info_of(path)
                    if info is not None:
                        yield info


def _parsed(data: bytes, options: LoadOptions, before: int) -> UnifiedMessage | None:
    try:
        record = decode(data)
    except ValueError:
        return None  # the file changed under us
    return parse(record, options, before_ms=before) if isinstance(record, dict) else None


def _folders(query: SessionQuery, env: Mapping[str, str]) -> list[Path]:
    if query.project_path is None:
        return store.all_folders(env)
    return store.project_folders(env, query.project_path)


def _newest(paths: list[Path]) -> Found | None:
    infos = [info for path in paths if (info := info_of(path)) is not None]
    shown = max(infos, key=lambda info: info.updated_at, default=None)
    if shown is not None:
        return Found(Path(shown.path), shown.id)
    last = max(paths, key=mtime_ms, default=None)
    return Found(last, last.stem) if last else None


def _by_id(folders: list[Path], session_id: str) -> Found | None:
    """A session's file, else a sub-agent's; names are compared, no path is built from the id."""
    for folder in folders:
        for path in store.session_files(folder):
            if path.stem == session_id:
                return Found(path, session_id)
    wanted = {session_id, f"agent-{session_id}"}
    for folder in folders:
        for path in store.subagent_files(folder):
            if path.stem in wanted:
                return Found(path, session_id)
    return None


LOADER = ClaudeLoader()
