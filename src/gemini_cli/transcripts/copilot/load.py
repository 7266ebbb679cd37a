"""Finds and reads the stored sessions of Copilot CLI: a folder of events each, or one old file.

The few facts beside the events stand in a small YAML file, of which only plain top-level
entries are read.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, opt_str, time_ms
from gemini_cli.transcripts.copilot.message import EventReader
from gemini_cli.transcripts.gemini.summary import title_of
from gemini_cli.transcripts.lines import head_and_tail, read_records
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import (
    children,
    head_of,
    is_file,
    is_folder,
    mtime_ms,
    plain_id,
    project_roots,
    same_project,
    size_of,
    under_home,
)
from gemini_cli.transcripts.registry import Found

_ENTRY = re.compile(r"([A-Za-z_]+):[ \t]*(.*)")


class CopilotLoader:
    """Sessions under `session-state/` of Copilot's home."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id (a folder's or file's name), else the newest."""
        if query.session_id is not None and not plain_id(query.session_id):
            return None
        if query.session_id is not None and query.project_path is None:
            for name, path in _sessions(env):
                if name == query.session_id:
                    return Found(path, name)
            return None
        infos = list(self.list_sessions(query, env))
        if query.session_id is not None:
            infos = [info for info in infos if info.id == query.session_id]
        newest = max(infos, key=lambda info: info.updated_at, default=None)
        return Found(Path(newest.path), newest.id) if newest else None

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The messages of one session."""
        path = found.path / "events.jsonl" if is_folder(found.path) else found.path
        reader = EventReader()
        reader.session_id = found.session_id
        for record in read_records(path, report, options.max_line_bytes):
            yield from (m for m in reader.feed(record) if _wanted(m, options))
        yield from reader.finish()

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """One entry per session somebody has asked something in."""
        roots = None if query.project_path is None else project_roots(query.project_path)
        for name, path in _sessions(env):
            info = _info(name, path)
            if info is not None and (roots is None or same_project(info.project_path, roots)):
                yield info


def _wanted(message: UnifiedMessage, options: LoadOptions) -> bool:
    if options.branch == "all":
        return True
    if message.is_sidechain and not options.include_sidechains:
        return False
    return options.include_meta or not message.is_meta


def _sessions(env: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    for entry in children(under_home(env, "COPILOT_HOME", ".copilot") / "session-state"):
        if entry.suffix == ".jsonl":
            yield entry.stem, entry
        elif is_file(entry / "events.jsonl"):
            yield entry.name, entry / "events.jsonl"


def _info(name: str, path: Path) -> SessionInfo | None:
    try:
        records = head_and_tail(path)
    except SessionProblem:
        return None
    facts = _facts(path.parent / "workspace.yaml") if path.name == "events.jsonl" else {}
    prompts = [p for r in records if (p := _prompt(r))]
    first = title_of(prompts[0], 200) if prompts else None
    title = facts.get("summary") or facts.get("name") or first
    if not title:
        return None
    start = next((as_dict(r.get("data")) for r in records if r.get("type") == "session.start"), {})
    context = as_dict(start.get("context"))
    times = [t for r in records if (t := time_ms(r.get("timestamp"))) is not None]
    return SessionInfo(
        tool="copilot",
        id=name,
        path=str(path),
        title=title_of(title, 200),
        first_prompt=first,
        project_path=opt_str(context.get("cwd")) or facts.get("cwd"),
        created_at=min(times, default=mtime_ms(path)),
        updated_at=max(times, default=mtime_ms(path)),
        size=size_of(path),
        git_branch=opt_str(context.get("branch")) or facts.get("branch"),
        model=opt_str(start.get("selectedModel")),
    )


def _prompt(record: JsonObject) -> str | None:
    data = as_dict(record.get("data"))
    if record.get("type") != "user.message" or data.get("source") not in (None, "", "user"):
        return None
    return opt_str(data.get("content"))


def _facts(path: Path) -> dict[str, str]:
    """Plain `key: value` entries at the top level; a block of text counts as its value."""
    text = (head_of(path) or b"").decode("utf-8", "replace")
    facts: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        found = _ENTRY.fullmatch(line)
        if found:
            key = found[1]
            value = found[2].strip()
            facts[key] = "" if value[:1] in ("|", ">") else _unquoted(value)
        elif key and line[:1] in (" ", "\t"):
            facts[key] = f"{facts[key]} {line.strip()}".strip()
        else:
            key = ""
    return facts


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return "" if value in ("null", "~") else value


LOADER = CopilotLoader()
