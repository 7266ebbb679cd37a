"""What a list shows of a Claude session, from the first and last part of its file.

Titles that were given come before titles that were made up, and those before first words.
"""

from collections.abc import Iterator
from pathlib import Path

from gemini_cli.protocol.errors import SessionProblem
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.claude.message import INTERRUPTED, content_of
from gemini_cli.transcripts.coerce import as_dict, opt_str, time_ms
from gemini_cli.transcripts.lines import head_and_tail
from gemini_cli.transcripts.model import SessionInfo, SlashCommandBlock, TextBlock
from gemini_cli.transcripts.places import mtime_ms, size_of
from gemini_cli.transcripts.tags import without_tagged

_NOT_PROMPTS = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<session-start-hook>",
    INTERRUPTED,
)
_IDE = ("ide_opened_file", "ide_selection")
_LONGEST = 200


def info_of(path: Path) -> SessionInfo | None:
    """The session's entry; None when it is a sub-agent's or says nothing at all."""
    try:
        records = head_and_tail(path)
    except SessionProblem:
        return None
    if not records or records[0].get("isSidechain") is True:
        return None
    prompt, command = _first_words(records)
    title = _given_title(records) or prompt or command
    if not title:
        return None
    times = [t for r in records if (t := time_ms(r.get("timestamp"))) is not None]
    models = [m for r in records if (m := opt_str(as_dict(r.get("message")).get("model")))]
    return SessionInfo(
        tool="claude",
        id=path.stem,
        path=str(path),
        title=cut(title),
        first_prompt=cut(prompt or command) if prompt or command else None,
        project_path=_last(records, "cwd", first=True),
        created_at=min(times, default=mtime_ms(path)),
        updated_at=max(times, default=mtime_ms(path)),
        size=size_of(path),
        git_branch=_last(records, "gitBranch"),
        model=models[-1] if models else None,
    )


def cut(text: str | None) -> str:
    """One line of at most 200 characters, with an ellipsis when there was more."""
    flat = " ".join((text or "").split())
    return flat if len(flat) <= _LONGEST else flat[:_LONGEST].rstrip() + "…"


def _given_title(records: list[JsonObject]) -> str | None:
    for key in ("customTitle", "aiTitle", "lastPrompt", "summary"):
        found = _last(records, key)
        if found and found.strip():
            return found
    return None


def _last(records: list[JsonObject], key: str, *, first: bool = False) -> str | None:
    found = [value for record in records if (value := opt_str(record.get(key)))]
    return (found[0] if first else found[-1]) if found else None


def _first_words(records: list[JsonObject]) -> tuple[str | None, str | None]:
    """The first prompt a person typed, and the first slash command, for want of one."""
    command: str | None = None
    for record in records:
        if record.get("type") != "user" or _hidden(record):
            continue
        for text, is_command in _texts(record):
            if not is_command:
                return text, command
            command = command or text
    return None, command


def _hidden(record: JsonObject) -> bool:
    keys = ("isMeta", "isCompactSummary", "isSidechain")
    return any(record.get(key) is True for key in keys) or bool(record.get("teamName"))


def _texts(record: JsonObject) -> Iterator[tuple[str, bool]]:
    blocks = content_of(as_dict(record.get("message")).get("content"), "user")
    for block in blocks:
        if isinstance(block, SlashCommandBlock):
            yield f"{block.command} {block.args or ''}".strip(), True
        elif isinstance(block, TextBlock):
            text = without_tagged(block.text, *_IDE, filler=" ").strip()
            if text and not text.startswith(_NOT_PROMPTS):
                yield text, False
