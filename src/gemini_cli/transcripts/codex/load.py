"""Finds and reads the stored sessions of Codex, compressed ones too.

The file's name narrows the search, the header inside decides. An active copy is preferred to
an archived one of the same session.
"""

from collections.abc import Iterator, Mapping

from gemini_cli.transcripts.codex import store
from gemini_cli.transcripts.codex.reader import Reader
from gemini_cli.transcripts.codex.scan import scan
from gemini_cli.transcripts.lines import opened, raw_lines, read_records
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import plain_id, project_roots, same_project
from gemini_cli.transcripts.registry import Found


class CodexLoader:
    """Rollouts under `sessions/` and `archived_sessions/` of Codex's home."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """By id, else the newest that is no sub-agent's."""
        wanted = query.session_id
        if wanted is not None and not plain_id(wanted):
            return None
        roots = None if query.project_path is None else project_roots(query.project_path)
        best: store.Card | None = None
        for path in store.rollouts(env):
            if wanted is not None and f"-{wanted}" not in path.name:
                continue
            card = store.card(path)
            if card is None or (roots is not None and not same_project(card.cwd, roots)):
                continue
            if wanted is not None:
                if card.id in (wanted, None):
                    return Found(path, wanted)
            elif not card.is_subagent and (best is None or card.updated_ms > best.updated_ms):
                best = card
        return Found(best.path, best.id) if best else None

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The messages of one rollout."""
        with opened(found.path) as stream:
            plan = scan(raw_lines(stream, LoadReport(), options.max_line_bytes))
        reader = Reader(plan, options)
        for record in read_records(found.path, report, options.max_line_bytes):
            ready = reader.feed(record)
            if ready:
                yield from ready
        yield from reader.finish()

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """One entry per id, without sub-agents; runs of `codex exec` only when asked for."""
        roots = None if query.project_path is None else project_roots(query.project_path)
        names = store.thread_names(env)
        seen: set[str] = set()
        for path in store.rollouts(env):
            if store.is_archived(path) and not query.include_archived:
                continue
            card = store.card(path)
            if card is None or card.is_subagent or (card.id or "") in seen:
                continue
            if card.source == "exec" and not query.include_exec:
                continue
            if roots is not None and not same_project(card.cwd, roots):
                continue
            info = card.info(names)
            if info is not None:
                seen.add(info.id)
                yield info


LOADER = CodexLoader()
