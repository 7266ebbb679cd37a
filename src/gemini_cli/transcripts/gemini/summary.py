"""What can be said of a Gemini session file without keeping its messages.

One pass over the file; a message leaves only whether it is worth resuming and its first words.
"""

import re
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.formats.session_file import SessionReplay, is_context, is_resumable, text_of
from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import opt_str, time_ms
from gemini_cli.transcripts.gemini.message import only_responses
from gemini_cli.transcripts.gemini.records import is_one_object, replayed
from gemini_cli.transcripts.lines import decode, opened, read_records
from gemini_cli.transcripts.model import LoadReport, SessionInfo
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.places import mtime_ms, size_of

_HEAD = 64 * 1024
_EXPANDED = "\n--- Content from referenced files ---"
_ID = re.compile(rb'"sessionId"\s*:\s*("(?:[^"\\]|\\.)*")')


class Note(Struct, frozen=True):
    """What is left of one message."""

    resumable: bool
    shown: bool
    prompt: str | None = None
    model: str | None = None
    moment: int | None = None


class Summary(Struct, frozen=True):
    """One file. `kind` is `main` or `subagent`."""

    path: Path
    metadata: JsonObject
    notes: list[Note]

    @property
    def session_id(self) -> str | None:
        return opt_str(self.metadata.get("sessionId"))

    @property
    def is_subagent(self) -> bool:
        return self.metadata.get("kind") == "subagent"

    @property
    def is_resumable(self) -> bool:
        return any(note.resumable for note in self.notes)

    @property
    def created_ms(self) -> int:
        moments = [note.moment for note in self.notes if note.moment is not None]
        return time_ms(self.metadata.get("startTime")) or (moments[0] if moments else self.age)

    @property
    def updated_ms(self) -> int:
        moments = [note.moment for note in self.notes if note.moment is not None]
        return time_ms(self.metadata.get("lastUpdated")) or (max(moments) if moments else self.age)

    @property
    def age(self) -> int:
        return mtime_ms(self.path)


def header_id(path: Path) -> str | None:
    """The session's id out of the head of the file, or out of the whole if need be."""
    try:
        with opened(path) as stream:
            found = _ID.search(stream.read(_HEAD))
        if found:
            name = decode(found[1])
            return name if isinstance(name, str) else None
    except (SessionProblem, ValueError):
        return None
    summary = summarize(path)
    return summary.session_id if summary else None


def summarize(path: Path, options: LoadOptions | None = None) -> Summary | None:
    """The summary of a file; None when it cannot be read at all."""
    given = options or LoadOptions()
    try:
        whole = replayed(path, given, LoadReport()) if is_one_object(path) else None
        if whole is None or whole.places:
            return _logged(path, given)
    except SessionProblem:
        return None
    return Summary(path, whole.metadata, [_note(message) for message in whole.held])


def _logged(path: Path, options: LoadOptions) -> Summary:
    state: SessionReplay[Note] = SessionReplay(lambda message, _position: _note(message))
    for record in read_records(path, LoadReport(), options.max_line_bytes):
        state.feed(record.value)
    if state.has_header:
        return Summary(path, state.metadata, list(state.held()))
    found = replayed(path, options, LoadReport())
    notes = [_note(message) for message in found.held]
    return Summary(path, found.metadata, list(state.held()) if found.places else notes)


def _note(message: JsonObject) -> Note:
    good = is_resumable(message)
    words = None
    if good and message.get("type") == "user":
        shown = message.get("displayContent") or message.get("content")
        words = text_of(shown)[:4000].partition(_EXPANDED)[0]
    shown = not only_responses(message) and not _is_context(message)
    return Note(
        good, shown, words, opt_str(message.get("model")), time_ms(message.get("timestamp"))
    )


def _is_context(message: JsonObject) -> bool:
    return message.get("type") == "user" and is_context(text_of(message.get("content")))


def title_of(text: str, limit: int = 100) -> str:
    """Words for one line: white space collapsed, nothing that cannot be printed."""
    flat = " ".join(text.split())
    return "".join(c for c in flat if c.isprintable())[:limit].strip()


def plain_title(text: str) -> str:
    """A title as Gemini CLI itself shows it, ASCII only; in full where that leaves nothing."""
    return title_of("".join(c for c in text if c.isascii())) or title_of(text)


def info_of(summary: Summary, project_path: str | None) -> SessionInfo:
    """The summary as a list shows it."""
    prompts = [note.prompt for note in summary.notes if note.prompt]
    models = [note.model for note in summary.notes if note.model]
    prompt = prompts[0] if prompts else ""
    given = opt_str(summary.metadata.get("summary"))
    return SessionInfo(
        tool="gemini",
        id=summary.session_id or summary.path.stem,
        path=str(summary.path),
        title=plain_title(given or "") or plain_title(prompt) or "Empty conversation",
        first_prompt=title_of(prompt) or None,
        project_path=project_path,
        created_at=summary.created_ms,
        updated_at=summary.updated_ms,
        message_count=sum(note.shown for note in summary.notes),
        size=size_of(summary.path),
        model=models[-1] if models else None,
    )
