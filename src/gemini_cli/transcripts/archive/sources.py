"""Every stored session with the marks that tell whether it changed: path, size and time.

For the stores with many files only names are read here; what a session is about is looked up
when it has changed. Tools whose loader knows no cheaper way are asked for their list.
"""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from gemini_cli.transcripts.claude import store as claude_store
from gemini_cli.transcripts.claude.summary import info_of as claude_info
from gemini_cli.transcripts.codex import store as codex_store
from gemini_cli.transcripts.gemini import store as gemini_store
from gemini_cli.transcripts.gemini.summary import info_of as gemini_info
from gemini_cli.transcripts.gemini.summary import summarize
from gemini_cli.transcripts.model import SessionInfo
from gemini_cli.transcripts.options import SessionQuery
from gemini_cli.transcripts.registry import entry_for, loader_for

Describe = Callable[[], SessionInfo | None]


class Source(Struct, frozen=True):
    """One session in its store. `key` is unique; `describe` says what it is about."""

    tool: str
    key: str
    path: str
    size: int
    stamp: int
    describe: Describe
    session_id: str | None = None


def sources(tool: str, env: Mapping[str, str]) -> Iterator[Source]:
    """The sessions of one tool, in any order."""
    finder = _FINDERS.get(tool) if entry_for(tool).loader is None else None
    if finder is not None:
        yield from finder(env)
        return
    query = SessionQuery(include_exec=True, include_archived=True)
    for info in loader_for(tool).list_sessions(query, env):
        yield _listed(info)


def plain(text: str) -> str:
    """Text that the database can hold."""
    return text.encode("utf-8", "replace").decode()


def _listed(info: SessionInfo) -> Source:
    key = plain(f"{info.path}|{info.id}")
    return Source(info.tool, key, info.path, info.size, info.updated_at, lambda: info, info.id)


def _files(
    tool: str, paths: Iterable[Path], describe: Callable[[Path], SessionInfo | None]
) -> Iterator[Source]:
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            continue
        if not stat.S_ISREG(found.st_mode):  # reading a named pipe would wait for ever
            continue
        text = str(path)
        yield Source(
            tool, plain(text), text, found.st_size, found.st_mtime_ns, partial(describe, path)
        )


def _gemini(env: Mapping[str, str]) -> Iterator[Source]:
    root = gemini_store.base(env)

    def describe(path: Path) -> SessionInfo | None:
        summary = summarize(path)
        if summary is None or summary.is_subagent or not summary.is_resumable:
            return None
        return gemini_info(summary, gemini_store.project_of(path.parent.parent, root))

    chats = gemini_store.all_chats(root)
    paths = (path for folder in chats for path in gemini_store.session_files(folder))
    return _files("gemini", paths, describe)


def _claude(env: Mapping[str, str]) -> Iterator[Source]:
    folders = claude_store.all_folders(env)
    paths = (path for folder in folders for path in claude_store.session_files(folder))
    named = (path for path in paths if claude_store.UUID.fullmatch(path.stem))
    return _files("claude", named, claude_info)


def _codex(env: Mapping[str, str]) -> Iterator[Source]:
    names: dict[str, str] | None = None

    def describe(path: Path) -> SessionInfo | None:
        nonlocal names
        names = dict(codex_store.thread_names(env)) if names is None else names
        card = codex_store.card(path)
        return None if card is None or card.is_subagent else card.info(names)

    # Active copies come first; the archived copy of one is not another session.
    paths: dict[str, Path] = {}
    for path in codex_store.rollouts(env):
        paths.setdefault(path.name.removesuffix(".zst"), path)
    return _files("codex", paths.values(), describe)


_FINDERS: dict[str, Callable[[Mapping[str, str]], Iterator[Source]]] = {
    "gemini": _gemini,
    "claude": _claude,
    "codex": _codex,
}
