"""The arguments of `gemini transcripts`: its flags, their help, and what makes no sense.

Only words are understood here; sessions are looked for by the verb itself.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.archive.stats import DIMENSIONS
from gemini_cli.transcripts.registry import tool_names

FORMATS = ("html", "md", "json")
_ROLES = ("user", "assistant", "system", "tool", "thinking")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong, then all there is to know."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n\n{self.format_help().strip()}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments. A search may hold `-without` words, and words behind its flags."""
    given, excluded = list(argv), []
    if given[:1] == ["search"]:
        for place in range(len(given) - 1, 0, -1):
            if _EXCLUDED.match(given[place]) and given[place - 1] not in _VALUED:
                excluded.append(given.pop(place))
    parser = _parser()
    args, rest = parser.parse_known_args(given)
    if args.verb is None:
        parser.error(
            f"unrecognized arguments: {' '.join(rest)}" if rest else "a COMMAND is missing"
        )
    if given[:1] == ["search"] and not any(word.startswith("-") for word in rest):
        args.words += [*rest, *reversed(excluded)]
    elif rest:
        args.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return args


_EXCLUDED = re.compile(r"-[^-](?<!-h$)")
_VALUED = ("--tool", "--project", "--since", "--until", "--role", "--limit")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gemini transcripts",
        description="Sessions of all coding CLIs on this machine, as one kind of conversation.",
    )
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", dest="verb")
    for name, (fill, told, more) in _VERBS.items():
        about = f"{told[0].upper()}{told[1:]}.{more}"
        verb = verbs.add_parser(name, help=told, description=about)
        verb.set_defaults(parser=verb)
        fill(verb)
    return parser


def _filters(parser: argparse.ArgumentParser, below: str = "") -> None:
    parser.add_argument(
        "--tool",
        action="append",
        default=[],
        choices=tool_names(),
        metavar="NAME",
        help=f"only this CLI, may repeat: {', '.join(tool_names())}",
    )
    parser.add_argument(
        "--project", metavar="DIR", help=f"only this folder{below}; '.' is the present one"
    )
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


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help=_SESSION)
    parser.add_argument("--full", action="store_true", help="do not shorten thoughts and results")
    parser.add_argument("--json", action="store_true", help="one message per line, for programs")


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="*", help='all must occur; "a phrase", begin*, -without, this OR that'
    )
    _filters(parser, _BELOW)
    _span(parser)
    parser.add_argument("--role", choices=_ROLES, help="who said it")
    parser.add_argument("--newest", action="store_true", help="newest first, not best first")
    parser.add_argument("--limit", type=_positive, default=20, metavar="N", help="default 20")


def _stats(parser: argparse.ArgumentParser) -> None:
    _filters(parser, _BELOW)
    _span(parser)
    parser.add_argument(
        "--by",
        default="tool,model",
        metavar="LIST",
        help=f"any of {','.join(DIMENSIONS)}; default tool,model",
    )


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help=_SESSION)
    parser.add_argument("--format", choices=FORMATS, help="default: by the file's name, html")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")


_BELOW = " and those below it"
_SESSION = "TOOL:ID, the beginning of an id, latest, or TOOL:latest"
_VERBS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], str, str]] = {
    "list": (_list, "the sessions, newest first", ""),
    "show": (_show, "one session as text", ""),
    "search": (
        _search,
        "find words in all sessions",
        " The first search reads every session and keeps an index; later ones read what is new.",
    ),
    "stats": (
        _stats,
        "tokens, cost and tools",
        " Days are days in UTC, and only whole days are counted. A model without a known price"
        " has no cost.",
    ),
    "export": (_export, "one session as an HTML, Markdown or JSON document", ""),
}


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
