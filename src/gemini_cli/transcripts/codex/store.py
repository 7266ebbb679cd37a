"""Where Codex keeps rollouts, and what their first lines say of them.

The project is not part of the path: it stands in the header of each file. Names of sessions
are kept apart, in an index of which the last entry counts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.codex.message import is_context, request_of, texts_of
from gemini_cli.transcripts.coerce import as_dict, as_str, opt_str, time_ms
from gemini_cli.transcripts.lines import head_and_tail, read_records
from gemini_cli.transcripts.model import LoadReport, SessionInfo
from gemini_cli.transcripts.places import mtime_ms, size_of, under_home, walk

_LONGEST = 200


def base(env: Mapping[str, str]) -> Path:
    """Codex's home."""
    return under_home(env, "CODEX_HOME", ".codex")


def rollouts(env: Mapping[str, str]) -> Iterator[Path]:
    """Every rollout, active ones before archived ones, newer names first."""
    for store in ("sessions", "archived_sessions"):
        for path in walk(base(env) / store):
            if path.name.startswith("rollout-") and path.name.endswith((".jsonl", ".jsonl.zst")):
                yield path


def is_archived(path: Path) -> bool:
    """Whether a file lies in the archive."""
    return "archived_sessions" in path.parts


def thread_names(env: Mapping[str, str]) -> dict[str, str]:
    """Names that people gave to sessions, by id."""
    path = base(env) / "session_index.jsonl"
    names: dict[str, str] = {}
    try:
        for record in read_records(path, LoadReport()):
            name, session = record.value.get("thread_name"), record.value.get("id")
            if isinstance(session, str) and isinstance(name, str):
                names[session] = name
    except SessionProblem:
        return names
    return names


class Card:
    """What the head and tail of one rollout tell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = head_and_tail(path)
        first = self.records[0] if self.records else {}
        found = next((r for r in self.records if r.get("type") == "session_meta"), None)
        self.meta: JsonObject = as_dict(found.get("payload")) if found else _bare(first)

    @property
    def id(self) -> str | None:
        return opt_str(self.meta.get("id")) or opt_str(self.meta.get("session_id"))

    @property
    def cwd(self) -> str | None:
        return opt_str(self.meta.get("cwd"))

    @property
    def source(self) -> JsonValue:
        return self.meta.get("source")

    @property
    def is_subagent(self) -> bool:
        return isinstance(self.source, dict) or self.source == "subagent"

    @property
    def updated_ms(self) -> int:
        times = [t for r in self.records if (t := time_ms(r.get("timestamp"))) is not None]
        return max(times, default=0) if times and self.path.suffix != ".zst" else self._age(times)

    def _age(self, times: list[int]) -> int:
        return max([*times, mtime_ms(self.path)])

    def info(self, names: Mapping[str, str]) -> SessionInfo | None:
        """The entry of a list; None when nobody has asked anything yet."""
        prompt = self._first_prompt()
        title = names.get(self.id or "") or prompt
        if not title or self.id is None:
            return None
        return SessionInfo(
            tool="codex",
            id=self.id,
            path=str(self.path),
            title=_cut(title),
            first_prompt=_cut(prompt) if prompt else None,
            project_path=self.cwd,
            created_at=time_ms(self.meta.get("timestamp")) or self.updated_ms,
            updated_at=self.updated_ms,
            size=size_of(self.path),
            git_branch=opt_str(as_dict(self.meta.get("git")).get("branch")),
            model=self._model(),
        )

    def _first_prompt(self) -> str | None:
        for record in self.records:
            payload = as_dict(record.get("payload")) or record
            texts: list[str] = []
            if payload.get("type") == "message" and payload.get("role") == "user":
                texts = texts_of(payload)
            elif payload.get("type") == "user_message":
                texts = [as_str(payload.get("message"))]
            words = request_of("\n".join(t for t in texts if not is_context([t])))
            if words:
                return words
        return None

    def _model(self) -> str | None:
        turns = [as_dict(r.get("payload")) for r in self.records if r.get("type") == "turn_context"]
        models = [model for turn in turns if (model := opt_str(turn.get("model")))]
        return models[-1] if models else None


def _bare(first: JsonObject) -> JsonObject:
    """The header of the oldest files has no envelope."""
    return first if "payload" not in first and "type" not in first else {}


def card(path: Path) -> Card | None:
    """The card of a file; None when it cannot be read."""
    try:
        return Card(path)
    except SessionProblem:
        return None


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[:_LONGEST].rstrip() + "…"
