"""Finds and reads the stored sessions of Gemini CLI, old and new.

The id inside a file decides, never its name. Of several files with one id the one that holds a
conversation wins, so that an empty twin left by a resume does not hide it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from gemini_cli.ground.formats.session_file import parts_of, project_hash
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import opt_str, time_ms
from gemini_cli.transcripts.gemini import store
from gemini_cli.transcripts.gemini.message import only_responses, parse
from gemini_cli.transcripts.gemini.records import fetched, replayed
from gemini_cli.transcripts.gemini.summary import Summary, header_id, info_of, summarize
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import plain_id, project_roots
from gemini_cli.transcripts.registry import Found


class GeminiLoader:
    """Sessions under `.gemini/tmp` and, of the oldest versions, `.gemini/projects`."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id, exact or a prefix of 8 and more; without one the newest with content."""
        chats = _folders(query, env)
        if query.session_id is None:
            return _newest([path for folder in chats for path in store.session_files(folder)])
        if not plain_id(query.session_id):
            return None
        return _by_id(chats, query.session_id)

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The visible messages of one file."""
        log = replayed(found.path, options, report)
        records = fetched(found.path, log, options, report)
        shown = messages(records, log.metadata, options)
        if log.metadata.get("kind") != "subagent":
            yield from shown
            return
        for message in shown:
            yield replace(message, is_sidechain=True, agent_id=message.session_id)

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """One entry per id: sub-agents, stubs and broken files are left out."""
        root = store.base(env)
        best: dict[str, Summary] = {}
        for folder in _folders(query, env):
            for path in store.session_files(folder):
                summary = summarize(path)
                if summary is None or summary.is_subagent or not summary.is_resumable:
                    continue
                name = summary.session_id or summary.path.stem
                if name not in best or best[name].updated_ms < summary.updated_ms:
                    best[name] = summary
        for summary in best.values():
            folder = summary.path.parent.parent
            yield info_of(summary, store.project_of(folder, root) or query.project_path)


def messages(
    records: Iterator[JsonObject], metadata: JsonObject, options: LoadOptions
) -> Iterator[UnifiedMessage]:
    """Records as messages. One is held back, until it is known that no responses follow it."""
    session_id = opt_str(metadata.get("sessionId"))
    before = time_ms(metadata.get("startTime")) or 0
    held: JsonObject | None = None
    held_at = 0
    responses: list[JsonObject] = []
    for position, record in enumerate(records):
        if held is not None and only_responses(record):
            responses += parts_of(record.get("content"))
            continue
        if held is not None:
            message = _parsed(held, held_at, session_id, before, responses, options)
            before = message.timestamp
            if options.include_meta or not message.is_meta:
                yield message
        held, held_at, responses = (None if only_responses(record) else record), position, []
    if held is not None:
        message = _parsed(held, held_at, session_id, before, responses, options)
        if options.include_meta or not message.is_meta:
            yield message


def _parsed(
    record: JsonObject,
    position: int,
    session_id: str | None,
    before: int,
    responses: list[JsonObject],
    options: LoadOptions,
) -> UnifiedMessage:
    return parse(
        record,
        options,
        session_id=session_id,
        position=position,
        before_ms=before,
        responses=responses,
    )


def _folders(query: SessionQuery, env: Mapping[str, str]) -> list[Path]:
    root = store.base(env)
    if query.project_path is None:
        return store.all_chats(root)
    named = store.project_chats(root, query.project_path)
    if any(True for folder in named for _ in store.session_files(folder)):
        return named
    return [folder for folder in store.all_chats(root) if _belongs(folder, query.project_path)]


def _belongs(chats: Path, project_path: str) -> bool:
    """By the hash that every header carries: for folders that nothing else explains."""
    hashes = {project_hash(root) for root in project_roots(project_path)}
    for path in store.session_files(chats):
        summary = summarize(path)
        if summary is not None and summary.metadata:
            return summary.metadata.get("projectHash") in hashes
    return False


def _newest(paths: list[Path]) -> Found | None:
    known = [summary for path in paths if (summary := summarize(path)) is not None]
    main = [summary for summary in known if not summary.is_subagent and summary.metadata]
    best = max(main, key=lambda s: (s.is_resumable, s.updated_ms), default=None)
    return Found(best.path, best.session_id) if best else None


def _by_id(chats: list[Path], session_id: str) -> Found | None:
    paths = [path for folder in chats for path in store.session_files(folder)]
    paths += [path for folder in chats for path in store.subagent_files(folder)]
    likely = [path for path in paths if store.may_hold(path, session_id)]
    for group in (likely, [path for path in paths if path not in likely]):
        known = [(path, header_id(path)) for path in group]
        exact = [path for path, name in known if name == session_id]
        if exact:
            return _best(exact)
    if len(session_id) < 8:
        return None
    fitting = [p for p in paths if (header_id(p) or "").startswith(session_id)]
    return _best(fitting) if fitting else None


def _best(paths: list[Path]) -> Found | None:
    if len(paths) == 1:
        return Found(paths[0], header_id(paths[0]))
    known = [summary for path in paths if (summary := summarize(path)) is not None]
    best = max(known, key=lambda s: (s.is_resumable, s.updated_ms), default=None)
    return Found(best.path, best.session_id) if best else None


LOADER = GeminiLoader()
