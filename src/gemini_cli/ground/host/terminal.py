"""What is known of the terminal we were started in, as plain values.

It asks the streams and the given environment once; it writes nothing and changes no mode.
"""

import os
from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

Colours = Literal[0, 16, 256, 16_777_216]
TRUE_COLOUR_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"})


class Stream(Protocol):
    """As much of a text stream as is needed here."""

    def isatty(self) -> bool:
        """Whether a terminal is behind it."""
        ...

    def fileno(self) -> int:
        """Its descriptor."""
        ...


class Terminal(msgspec.Struct, frozen=True):
    """Facts about the terminal at the start; the size may change later."""

    input: bool
    output: bool
    columns: int = 80
    rows: int = 24
    colours: Colours = 0

    @property
    def interactive(self) -> bool:
        """Whether a person is on both ends."""
        return self.input and self.output


def facts(stdin: Stream | None, stdout: Stream | None, environ: Mapping[str, str]) -> Terminal:
    """What the two streams and the environment tell. A closed stream is no terminal."""
    output = _is_terminal(stdout)
    columns, rows = _size(stdout if output else None, environ)
    return Terminal(_is_terminal(stdin), output, columns, rows, colours(environ, output))


def colours(environ: Mapping[str, str], terminal: bool) -> Colours:
    """How many colours may be used; `NO_COLOR` and `FORCE_COLOR` have the last word."""
    if environ.get("NO_COLOR"):
        return 0
    forced = environ.get("FORCE_COLOR")
    if forced in ("0", "false"):
        return 0
    term = environ.get("TERM", "")
    if forced is None and (not terminal or term == "dumb"):
        return 0
    if forced == "3" or environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return 16_777_216
    if environ.get("TERM_PROGRAM") in TRUE_COLOUR_PROGRAMS or environ.get("WT_SESSION"):
        return 16_777_216
    if forced == "2" or "256" in term or term.startswith(("xterm-kitty", "alacritty")):
        return 256
    return 16


def _is_terminal(stream: Stream | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def _size(stream: Stream | None, environ: Mapping[str, str]) -> tuple[int, int]:
    found = [0, 0]
    if stream is not None:
        try:
            found = list(os.get_terminal_size(stream.fileno()))
        except (OSError, ValueError):
            found = [0, 0]
    for place, name in enumerate(("COLUMNS", "LINES")):
        given = environ.get(name, "")
        if found[place] <= 0 and given.isdecimal() and len(given) < 5:
            found[place] = int(given)
    return found[0] or 80, found[1] or 24
