"""`gemini transcripts`: the stored sessions of every coding CLI on this machine.

Lists, shows, searches, sums up and exports them. It reads sessions and writes nothing but the
file that `export -o` names and the search index.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import msgspec

from gemini_cli.cli.exits import leave_quietly
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
from gemini_cli.transcripts.archive.stats import DIMENSIONS
from gemini_cli.transcripts.codec import dumps
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
_ROLES = ("user", "assistant", "system", "tool", "thinking")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


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
        args = _parser().parse_args(list(argv))
        args.cwd = cwd
        code: int = args.run(_Call(args, env, screen, errors))
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
            print(f"gemini transcripts: {error}", file=errors)
        return error.exit_code if isinstance(error, FatalError) else 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gemini transcripts",
        description="Sessions of all coding CLIs on this machine, as one kind of conversation.",
    )
    verbs = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _list(verbs.add_parser("list", help="the sessions, newest first"))
    _show(verbs.add_parser("show", help="one session as text"))
    _search(verbs.add_parser("search", help="find words in all sessions"))
    _stats(verbs.add_parser("stats", help="tokens, cost and tools"))
    _export(verbs.add_parser("export", help="one session as an HTML, Markdown or JSON document"))
    return parser


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tool",
        action="append",
        default=[],
        choices=tool_names(),
        help="only this CLI; may repeat",
    )
    parser.add_argument("--project", metavar="DIR", help="only this folder; '.' is the present one")
    parser.add_argument("--json", action="store_true", help="as JSON, for programs")


def _span(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since", metavar="WHEN", help="2025-10-29, 2025-10-29T14:00, today, 7d, 12h"
    )
    parser.add_argument("--until", metavar="WHEN", help="as --since; before that moment")


def _list(parser: argparse.ArgumentParser) -> None:
    _filters(parser)
    parser.add_argument(
        "--limit", type=_count, default=20, metavar="N", help="default 20; 0 is all"
    )
    parser.set_defaults(run=_run_list)


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help="TOOL:ID, the beginning of an id, or latest")
    parser.add_argument("--full", action="store_true", help="do not shorten thoughts and results")
    parser.add_argument("--json", action="store_true", help="one message per line, for programs")
    parser.set_defaults(run=_run_show)


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="+", help='all must occur; "a phrase", begin*, -without, this OR that'
    )
    _filters(parser)
    _span(parser)
    parser.add_argument("--role", choices=_ROLES, help="who said it")
    parser.add_argument("--newest", action="store_true", help="newest first, not best first")
    parser.add_argument("--limit", type=_positive, default=20, metavar="N", help="default 20")
    parser.set_defaults(run=_run_search)


def _stats(parser: argparse.ArgumentParser) -> None:
    _filters(parser)
    _span(parser)
    parser.add_argument(
        "--by", default="tool,model", metavar="LIST", help=f"any of {','.join(DIMENSIONS)}"
    )
    parser.set_defaults(run=_run_stats)


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help="TOOL:ID, the beginning of an id, or latest")
    parser.add_argument(
        "--format", choices=tuple(_FORMATS), help="default: by the file's name, html"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.set_defaults(run=_run_export)


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return value


def _positive(text: str) -> int:
    value = _count(text)
    if value == 0:
        raise argparse.ArgumentTypeError("0 results are none; give a number from 1 up")
    return value


def _project(call: _Call) -> str | None:
    named: str | None = call.args.project
    return None if named is None else os.path.abspath(Path(call.args.cwd, named))


def _run_list(call: _Call) -> int:
    args = call.args
    project = _project(call)
    if project is None and args.limit:
        found = recent_sessions(args.limit, args.tool, call.env)
    else:
        tools = args.tool or [None]
        every = [s for tool in tools for s in list_sessions(tool, project, env=call.env)]
        every.sort(key=lambda info: info.updated_at, reverse=True)
        found = every[: args.limit] if args.limit else every
    if args.json:
        call.screen.line(_json(found))
    else:
        sessions_table(call.screen, found)
    return 0


def _run_show(call: _Call) -> int:
    info, messages = _session(call)
    if call.args.json:
        for message in messages:
            call.screen.line(dumps(message))
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
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _chosen(call: _Call, role: Any = None) -> Filters:
    args = call.args
    return Filters(
        tools=tuple(args.tool),
        project=_project(call),
        role=role,
        since=moment(args.since, "--since"),
        until=moment(args.until, "--until"),
    )


def _run_stats(call: _Call) -> int:
    by = [name.strip() for name in call.args.by.split(",") if name.strip()]
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
        call.screen.raw(text)
    else:
        _write(target, text, args.force)
        call.screen.line(f"{args.output}: {len(messages)} messages of {info.tool}:{info.id}")
    return 0


def _kind_of(target: Path | None) -> str:
    ending = "" if target is None else target.suffix.lower()
    return {".md": "md", ".markdown": "md", ".json": "json"}.get(ending, "html")


def _write(target: Path, text: str, force: bool) -> None:
    data = text.encode("utf-8", "replace")
    if not force:
        try:
            with target.open("xb") as stream:
                stream.write(data)
            return
        except FileExistsError:
            raise UsageError(f"{target} exists; give --force to replace it.") from None
    if target.is_dir():
        raise UsageError(f"{target} is a folder; name a file in -o.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _session(call: _Call) -> tuple[SessionInfo, list[UnifiedMessage]]:
    info = _resolve(call.args.session, call.env)
    options = LoadOptions(env=call.env)
    return info, load_messages_sync(info.tool, info.id, session_path=info.path, options=options)


def _resolve(text: str, env: Mapping[str, str]) -> SessionInfo:
    if text == "latest" and (newest := recent_sessions(1, env=env)):
        return newest[0]
    tool, colon, name = text.partition(":")
    if not colon:
        tool, name = "", text
    elif tool not in tool_names():
        raise UsageError(f"{tool!r} is no tool; use one of {', '.join(tool_names())}.")
    found = matching_sessions(name, [tool] if tool else [], env) if name.strip() else []
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
