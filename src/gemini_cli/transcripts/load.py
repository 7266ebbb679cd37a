"""Messages of any tool's session: finds it, reads it, arranges it as asked.

This is routing; formats belong to the tools' own packages. An absent session is an empty list
unless the caller is strict, and a file that is still growing can be followed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from msgspec import Struct

from gemini_cli.transcripts.errors import SessionCorruptError, SessionNotFoundError
from gemini_cli.transcripts.follow import Follower
from gemini_cli.transcripts.layout import arrange
from gemini_cli.transcripts.model import LoadReport, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery
from gemini_cli.transcripts.places import environment, expand
from gemini_cli.transcripts.registry import Found, Loader, check_tool, loader_for

DEFAULT = LoadOptions()


class LoadedSession(Struct, frozen=True):
    """A whole session with what was noticed while reading it; `found` is None when absent."""

    tool: str
    messages: list[UnifiedMessage]
    report: LoadReport
    found: Found | None = None


def find_session(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
) -> Found | None:
    """Where the session lies: the newest one when no id is given."""
    loader = loader_for(check_tool(tool))
    env = environment(options.env)
    query = SessionQuery(
        session_id=session_id,
        project_path=str(expand(str(project_path), env)) if project_path is not None else None,
        session_path=str(expand(str(session_path), env)) if session_path is not None else None,
    )
    found = _find(loader, query, options)
    if found is None and options.strict:
        place = query.session_path or query.project_path
        raise SessionNotFoundError(tool, session_id, place)
    return found


def _find(loader: Loader, query: SessionQuery, options: LoadOptions) -> Found | None:
    if query.session_path is None:
        return loader.find(query, environment(options.env))
    path = Path(query.session_path)
    try:
        there = path.exists()
    except (OSError, ValueError):
        there = False
    return Found(path, query.session_id) if there else None


def iter_messages(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
    report: LoadReport | None = None,
    stop: Event | None = None,
) -> Iterator[UnifiedMessage]:
    """The messages one by one, in the memory of one line.

    With `options.follow` it goes on when the file grows, until `stop` is set: new messages, and
    a message again (same id) when it has gained something.
    """
    found = find_session(
        tool, session_id, project_path=project_path, session_path=session_path, options=options
    )
    if found is None:
        return iter(())
    loader = loader_for(tool)
    target = report if report is not None else LoadReport()
    if not options.follow:
        return read_found(loader, found, options, target)
    return Follower(found.path, reader_of(loader, found, options)).run(stop, options.poll_seconds)


def reader_of(
    loader: Loader, found: Found, options: LoadOptions
) -> Callable[[], Iterator[UnifiedMessage]]:
    """Each call reads the session anew; for following it."""
    return lambda: arrange(
        loader.iter_messages(found, options, LoadReport()), options, str(found.path)
    )


def read_found(
    loader: Loader, found: Found, options: LoadOptions, report: LoadReport
) -> Iterator[UnifiedMessage]:
    yield from arrange(loader.iter_messages(found, options, report), options, str(found.path))
    if report.lines and report.bad_lines == report.lines:
        what = "it is not" if report.lines == 1 else f"none of its {report.lines} lines is"
        raise SessionCorruptError(str(found.path), f"{what} JSON")


def load_session(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
) -> LoadedSession:
    """A whole session, with the report of what could not be read."""
    report = LoadReport()
    found = find_session(
        tool, session_id, project_path=project_path, session_path=session_path, options=options
    )
    if found is None:
        return LoadedSession(tool, [], report)
    messages = list(read_found(loader_for(tool), found, options, report))
    return LoadedSession(tool, messages, report, found)


def load_messages_sync(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
) -> list[UnifiedMessage]:
    """All messages of a session: of the named one, else of the newest. `follow` has no effect."""
    return load_session(
        tool, session_id, project_path=project_path, session_path=session_path, options=options
    ).messages
