"""Finds and reads the stored sessions of Qwen Code, and those of its oldest releases.

The conversation is the chain of parents from the last record back; where a parent is missing,
every record counts in the order of the file.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from gemini_cli.ground.formats.session_file import is_context, project_hash, text_of
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.claude.store import encode
from gemini_cli.transcripts.coerce import as_dict, opt_str, time_ms
from gemini_cli.transcripts.gemini.load import messages as gemini_messages
from gemini_cli.transcripts.gemini.records import fetched, replayed
from gemini_cli.transcripts.gemini.summary import info_of, summarize, title_of
from gemini_cli.transcripts.lines import decode, head_and_tail, opened, raw_lines
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import (
    children,
    expand,
    home_of,
    mtime_ms,
    plain_id,
    project_roots,
    same_project,
    size_of,
)
from gemini_cli.transcripts.qwen.message import parse, parts_of
from gemini_cli.transcripts.registry import Found


class _Probe(Struct):
    uuid: str | None = None
    parent: str | None = field(default=None, name="parentUuid")


_probe = msgspec.json.Decoder(_Probe).decode


def base(env: Mapping[str, str]) -> Path:
    """Qwen's folder for what it writes while running."""
    named = env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME")
    return expand(named, env) if named else home_of(env) / ".qwen"


class QwenLoader:
    """Sessions under `projects/*/chats`, and Gemini's old files under `tmp/*/chats`."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id (a file's name), else the newest."""
        if query.session_id is None:
            newest = max(self.list_sessions(query, env), key=lambda i: i.updated_at, default=None)
            return Found(Path(newest.path), newest.id) if newest else None
        if not plain_id(query.session_id):
            return None
        for path in _files(query, env):
            if path.stem == query.session_id:
                return Found(path, query.session_id)
        for info in self.list_sessions(query, env):
            if info.id == query.session_id:
                return Found(Path(info.path), info.id)
        return None

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The chain of one file."""
        if found.path.suffix == ".json":
            log = replayed(found.path, options, report)
            old = gemini_messages(fetched(found.path, log, options, report), log.metadata, options)
            yield from (replace(message, tool="qwen") for message in old)
            return
        with opened(found.path) as stream:
            places = _chain(stream, options, report)
            yield from _messages(stream, places, options)

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """One entry per file that holds a prompt or a title."""
        roots = None if query.project_path is None else project_roots(query.project_path)
        for path in _files(query, env):
            info = _old_info(path, query) if path.suffix == ".json" else _info(path)
            if info is None:
                continue
            known = info.project_path
            if roots is None or known is None or same_project(known, roots):
                yield info


def _chain(stream: BinaryIO, options: LoadOptions, report: LoadReport) -> list[tuple[int, int]]:
    """Number and offset of the lines to show, in order."""
    links: dict[str, tuple[int, int, str | None]] = {}
    every: list[tuple[int, int]] = []
    last: str | None = None
    for line in raw_lines(stream, report, options.max_line_bytes):
        every.append((line.number, line.offset))
        try:
            probe = _looked_at(line.data)
        except ValueError:
            report.bad_lines += 1
            continue
        if probe.uuid:
            links[probe.uuid] = (line.number, line.offset, probe.parent or None)
            last = probe.uuid
    if options.branch == "all":
        return every
    chain: list[tuple[int, int]] = []
    seen: set[str] = set()
    while last is not None:
        if last in seen or last not in links:
            return every
        seen.add(last)
        number, offset, last = links[last]
        chain.append((number, offset))
    return chain[::-1] or every


def _looked_at(data: bytes) -> _Probe:
    try:
        return _probe(data)
    except (ValueError, RecursionError):
        record = as_dict(decode(data))
        return _Probe(opt_str(record.get("uuid")), opt_str(record.get("parentUuid")))


def _messages(
    stream: BinaryIO, places: list[tuple[int, int]], options: LoadOptions
) -> Iterator[UnifiedMessage]:
    before, typed = 0, None
    for number, offset in places:
        stream.seek(offset)
        try:
            record = decode(stream.readline())
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        payload = as_dict(record.get("systemPayload"))
        if record.get("type") == "system" and record.get("subtype") == "at_command":
            typed = opt_str(payload.get("userText"))
            continue
        message = parse(record, options, position=number, before_ms=before, typed=typed)
        if record.get("type") == "user":
            typed = None
        if message is None:
            continue
        before = message.timestamp
        if _wanted(message, options):
            yield message


def _wanted(message: UnifiedMessage, options: LoadOptions) -> bool:
    if options.branch == "all":
        return True
    if message.is_sidechain and not options.include_sidechains:
        return False
    return options.include_meta or not message.is_meta


def _files(query: SessionQuery, env: Mapping[str, str]) -> Iterator[Path]:
    """The files of one project or of all; a folder's name may stand for two projects."""
    root = base(env)
    wanted: set[str] | None = None
    hashes: set[str] = set()
    if query.project_path is not None:
        roots = project_roots(query.project_path)
        wanted = {form for r in roots for form in (encode(r), encode(r.lower()))}
        hashes = {project_hash(r) for r in roots}
    for folder in children(root / "projects"):
        if wanted is None or folder.name in wanted:
            stores = [folder / "chats"]
            if query.include_archived:
                stores += [s for s in children(folder) if "archive" in s.name.lower()]
            yield from (p for s in stores for p in children(s) if p.suffix == ".jsonl")
    for folder in children(root / "tmp"):
        if wanted is None or folder.name in hashes:
            yield from (p for p in children(folder / "chats") if p.suffix == ".json")


def _old_info(path: Path, query: SessionQuery) -> SessionInfo | None:
    summary = summarize(path)
    if summary is None or not summary.is_resumable:
        return None
    return replace(info_of(summary, query.project_path), tool="qwen")


def _info(path: Path) -> SessionInfo | None:
    try:
        records = head_and_tail(path)
    except SessionProblem:
        return None
    titles = [title for r in records if (title := _title(r))]
    prompts = [p for r in records if (p := _prompt(r))]
    if not titles and not prompts:
        return None
    times = [t for r in records if (t := time_ms(r.get("timestamp"))) is not None]
    first = title_of(prompts[0], 200) if prompts else None
    models = [m for r in records if (m := opt_str(r.get("model")))]
    return SessionInfo(
        tool="qwen",
        id=opt_str(records[0].get("sessionId")) or path.stem,
        path=str(path),
        title=titles[-1] if titles else first or "",
        first_prompt=first,
        project_path=opt_str(records[0].get("cwd")),
        created_at=min(times, default=mtime_ms(path)),
        updated_at=max(times, default=mtime_ms(path)),
        size=size_of(path),
        git_branch=opt_str(records[0].get("gitBranch")),
        model=models[-1] if models else None,
    )


def _title(record: JsonObject) -> str | None:
    if record.get("subtype") != "custom_title":
        return None
    return opt_str(as_dict(record.get("systemPayload")).get("customTitle"))


def _prompt(record: JsonObject) -> str | None:
    text = text_of(parts_of(record)).strip() if record.get("type") == "user" else ""
    return text if text and not is_context(text) and not text.startswith("/") else None


LOADER = QwenLoader()
