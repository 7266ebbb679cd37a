"""`gemini transcripts`: the stored sessions of every coding CLI on this machine.

Lists, shows, searches, sums up and exports them. It reads sessions and writes nothing but the
file that `export -o` names and the search index.
"""

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from gemini_cli.cli.exits import leave_quietly
from gemini_cli.cli.verbs.transcripts_args import parse
from gemini_cli.cli.verbs.transcripts_text import (
    Screen,
    hits_text,
    session_text,
    sessions_table,
    stats_text,
)
from gemini_cli.cli.verbs.transcripts_time import moment
from gemini_cli.protocol.errors import FatalError, GeminiError, InputError, UsageError
from gemini_cli.transcripts import export
from gemini_cli.transcripts.archive import (
    Filters,
    matching_sessions,
    recent_sessions,
    search_sessions,
    session_stats,
)
from gemini_cli.transcripts.codec import dumps
from gemini_cli.transcripts.export.clean import spelled
from gemini_cli.transcripts.export.thread import arrange
from gemini_cli.transcripts.listing import list_sessions
from gemini_cli.transcripts.load import load_messages_sync
from gemini_cli.transcripts.model import SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.registry import tool_names

# The door of the export is asked when a document is wanted: Markdown is not cheap to import.
_FORMATS: dict[str, Callable[[], Callable[..., str]]] = {
    "html": lambda: export.page,
    "md": lambda: export.markdown_document,
    "json": lambda: export.json_document,
}
_MANY = 200


class _Call:
    """One call of the verb: what was asked, and where to answer."""

    def __init__(
        self, args: argparse.Namespace, env: Mapping[str, str], screen: Screen, errors: IO[str]
    ) -> None:
        self.args = args
        self.env = env
        self.screen = screen
        self._errors = errors

    def progress(self, tool: str, read: int, total: int) -> None:
        """The first search reads every session: somebody who waits should see why."""
        if self._errors.isatty() and total >= _MANY:
            text = f"Reading {tool} sessions: {read:,} of {total:,}"
            print(f"\r\x1b[K{text}", end="", file=self._errors, flush=True)

    def settled(self) -> None:
        """Wipes the progress line."""
        if self._errors.isatty():
            print("\r\x1b[K", end="", file=self._errors, flush=True)


def main(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    out: IO[str] | None = None,
    err: IO[str] | None = None,
) -> int:
    """Runs the verb; the exit code. 0 done, 1 not understood, 42 no such session."""
    output, errors = out or sys.stdout, err or sys.stderr
    screen = Screen(output, env)
    try:
        args = parse(argv)
        args.cwd = cwd
        code = _RUN[args.verb](_Call(args, env, screen, errors))
        output.flush()
        return code
    except SystemExit as error:  # argparse has printed the help
        return int(error.code or 0)
    except BrokenPipeError:
        if output is sys.stdout:
            leave_quietly()
        return 0
    except KeyboardInterrupt:
        return 130
    except (GeminiError, OSError) as error:
        with contextlib.suppress(BrokenPipeError):
            print(f"gemini transcripts: {_told(error)}", file=errors)
        return error.exit_code if isinstance(error, FatalError) else 1


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else "The answer could not be written: "
        return f"{where}{error.strerror}."
    return str(error)


def _project(call: _Call) -> str | None:
    named: str | None = call.args.project
    return None if named is None else os.path.normpath(Path(call.args.cwd, named))


def _run_list(call: _Call) -> int:
    args = call.args
    project = _project(call)
    if project is None and args.limit:
        found = recent_sessions(args.limit + 1, args.tool, call.env)
    else:
        tools = args.tool or [None]
        every = [s for tool in tools for s in list_sessions(tool, project, env=call.env)]
        every.sort(key=lambda info: info.updated_at, reverse=True)
        found = every
    shown = found[: args.limit] if args.limit else found
    if args.json:
        call.screen.line(_json(shown))
        return 0
    sessions_table(call.screen, shown)
    if len(shown) < len(found) and call.screen.terminal:
        call.screen.line(call.screen.style("dim", "There are more; --limit 0 shows all."))
    return 0


def _run_show(call: _Call) -> int:
    info, messages = _session(call)
    if call.args.json:
        for message in messages:
            call.screen.line(spelled(dumps(message)))
    else:
        session_text(call.screen, info, messages, call.args.full)
    return 0


def _run_search(call: _Call) -> int:
    args = call.args
    result = search_sessions(
        " ".join(args.words),
        _chosen(call, args.role),
        limit=args.limit,
        sort="newest" if args.newest else "best",
        env=call.env,
        progress=call.progress,
    )
    call.settled()
    if args.json:
        hits = [_hit_object(hit) for hit in result.hits]
        call.screen.line(_json({"hits": hits, "notices": result.notices}))
    else:
        hits_text(call.screen, result)
    return 0


def _hit_object(hit: Any) -> dict[str, Any]:
    fields = {name: getattr(hit, name) for name in hit.__struct_fields__}
    return {**fields, "snippet": hit.plain_snippet}


def _json(value: Any) -> str:
    return spelled(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _chosen(call: _Call, role: Any = None) -> Filters:
    args = call.args
    since, until = moment(args.since, "--since"), moment(args.until, "--until")
    if since is not None and until is not None and since >= until:
        raise UsageError(f"--since {args.since} is not before --until {args.until}.")
    tools, project = tuple(args.tool), _project(call)
    return Filters(tools=tools, project=project, role=role, since=since, until=until)


def _run_stats(call: _Call) -> int:
    by = list(dict.fromkeys(name.strip() for name in call.args.by.split(",") if name.strip()))
    found = session_stats(by, _chosen(call), env=call.env, progress=call.progress)
    call.settled()
    if call.args.json:
        call.screen.line(_json(found))
    else:
        stats_text(call.screen, found)
    return 0


def _run_export(call: _Call) -> int:
    args = call.args
    target = None if args.output in (None, "-") else Path(call.args.cwd, args.output)
    kind = args.format or _kind_of(target)
    info, messages = _session(call)
    facts = {
        "Tool": info.tool,
        "Project": info.project_path or "",
        "Branch": info.git_branch or "",
        "Model": info.model or "",
        "Session": info.id,
    }
    text = _FORMATS[kind]()(messages, info.heading, facts)
    if target is None:
        call.screen.raw(spelled(text) if kind == "json" else text)
    else:
        _write(target, text, args.force)
        count = len(arrange(messages))
        call.screen.line(f"{args.output}: {count} messages of {info.tool}:{info.id}")
    return 0


def _kind_of(target: Path | None) -> str:
    ending = "" if target is None else target.suffix.lower()
    kind = _ENDINGS.get(ending)
    if kind is None:
        raise UsageError(
            f"{target}: no document is known by the ending {ending!r}; "
            "name it .html, .md or .json, or give --format."
        )
    return kind


_ENDINGS = {"": "html", ".html": "html", ".htm": "html", ".md": "md", ".markdown": "md"}
_ENDINGS |= {".json": "json"}


def _write(target: Path, text: str, force: bool) -> None:
    """Never half a file, never over another one unasked; a device or a pipe is written to."""
    mode = target.stat().st_mode if target.exists() else 0
    if stat.S_ISDIR(mode):
        raise UsageError(f"{target} is a folder; name a file in -o.")
    if stat.S_ISREG(mode) and not force:
        raise UsageError(f"{target} exists; give --force to replace it.")
    data = text.encode("utf-8", "replace")
    real = Path(os.path.realpath(target))
    part = real.with_name(f".{real.name}.{os.getpid()}.part")
    try:
        if mode and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return
        part.write_bytes(data)
        if mode:
            part.chmod(stat.S_IMODE(mode))
        part.replace(real)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _session(call: _Call) -> tuple[SessionInfo, list[UnifiedMessage]]:
    info = _resolve(call.args.session, call.env)
    options = LoadOptions(env=call.env)
    return info, load_messages_sync(info.tool, info.id, session_path=info.path, options=options)


def _resolve(text: str, env: Mapping[str, str]) -> SessionInfo:
    tool, colon, name = text.partition(":")
    if not colon:
        tool, name = "", text
    elif tool not in tool_names():
        raise UsageError(f"{tool!r} is no tool; use one of {', '.join(tool_names())}.")
    tools = [tool] if tool else []
    if name == "latest" and (newest := recent_sessions(1, tools, env)):
        return newest[0]
    found = matching_sessions(name, tools, env) if name.strip() else []
    if not found:
        raise InputError(
            f"No session {text!r}. `gemini transcripts list` shows the sessions there are."
        )
    if len(found) > 1:
        several = "\n".join(f"  {one.tool}:{one.id}  {one.heading[:50]}" for one in found[:10])
        raise InputError(
            f"{text!r} may mean {len(found)} sessions; give more of the id:\n{several}"
        )
    return found[0]


_RUN: dict[str, Callable[[_Call], int]] = {
    "list": _run_list,
    "show": _run_show,
    "search": _run_search,
    "stats": _run_stats,
    "export": _run_export,
}
