"""What `gemini transcripts` shows to people: tables that fit the screen, sessions as text.

Whatever comes from a session is cleaned of terminal codes before it is printed; colour is for
terminals only. Nothing is looked up here.
"""

import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import IO

from gemini_cli.transcripts.archive.search import MARK, UNMARK, Hit, SearchResult
from gemini_cli.transcripts.archive.stats import Numbers, Stats
from gemini_cli.transcripts.export.clean import plain
from gemini_cli.transcripts.export.media import describe
from gemini_cli.transcripts.export.thread import Entry, Exchange, Item, argument, arrange
from gemini_cli.transcripts.model import (
    DocumentBlock,
    ImageBlock,
    SessionInfo,
    SlashCommandBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    UnifiedMessage,
)

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_SHORT = 6
_WHO = {"user": "You", "system": "Notice"}


class Screen:
    """Where answers go: its width, whether it has colours, what it can encode."""

    def __init__(self, out: IO[str], env: Mapping[str, str]) -> None:
        self._out = out
        terminal = out.isatty()
        self.terminal = terminal
        self.colour = terminal and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        self.width = _width(out, env)

    def line(self, text: str = "") -> None:
        """One line (or several)."""
        self.raw(text + "\n")

    def raw(self, text: str) -> None:
        """Text as it is, apart from what the terminal's encoding lacks."""
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        self._out.write(text.encode(encoding, "replace").decode(encoding))

    def style(self, name: str, text: str) -> str:
        """Text in a style, where there are colours."""
        return f"\x1b[{_STYLES[name]}m{text}\x1b[0m" if self.colour and text else text


def _width(out: IO[str], env: Mapping[str, str]) -> int:
    named = env.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named) > 0:
        return max(20, int(named))
    try:
        return max(20, os.get_terminal_size(out.fileno()).columns)
    except (OSError, ValueError):
        return 80


def cells(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Cc", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int, keep_end: bool = False) -> str:
    """One clean line of exactly `width` columns; what does not fit is an ellipsis."""
    flat = " ".join(plain(text).split())
    if cells(flat) > width:
        room, kept = width - 1, ""
        for char in reversed(flat) if keep_end else flat:
            if _cell(char) > room:
                break
            room -= _cell(char)
            kept = char + kept if keep_end else kept + char
        flat = "…" + kept if keep_end else kept + "…"
    return flat + " " * (width - cells(flat))


def shortened(line: str, width: int) -> str:
    """One line cut to a width, its spaces kept; tabs become spaces."""
    line = line.expandtabs(4)
    if len(line) <= width and cells(line) <= width:
        return line
    if line.isascii() and line.isprintable():
        return line[: width - 1] + "…"
    kept, room = "", width - 1
    for char in line:
        if _cell(char) > room:
            break
        room -= _cell(char)
        kept += char
    return kept + "…"


def when(milliseconds: int, seconds: bool = False) -> str:
    """A moment in the local time zone."""
    try:
        found = datetime.fromtimestamp(milliseconds / 1000)
    except (ValueError, OverflowError, OSError):
        return "-"
    return found.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def short_ids(sessions: Sequence[SessionInfo]) -> dict[tuple[str, str], str]:
    """The shortest beginnings, from 8 characters up, that tell these sessions apart."""
    ordered = sorted({(one.tool, one.id) for one in sessions})
    found: dict[tuple[str, str], str] = {}
    for place, (tool, name) in enumerate(ordered):
        # In their order, the ids that begin most alike stand side by side.
        beside = [*ordered[max(0, place - 1) : place], *ordered[place + 1 : place + 2]]
        others = [other for kind, other in beside if kind == tool]
        size = 8
        while size < len(name) and any(other.startswith(name[:size]) for other in others):
            size += 5
        found[tool, name] = f"{tool}:{name[:size]}"
    return found


def sessions_table(screen: Screen, sessions: Sequence[SessionInfo]) -> None:
    """One line for each session; a narrow screen does without the folder and the hour."""
    if not sessions:
        screen.line("No sessions found.")
        return
    names = short_ids(sessions)
    first = max(len(name) for name in names.values())
    moment = 16 if screen.width >= 60 else 10
    folder = 24 if screen.width >= 110 else 14 if screen.width >= 72 else 0
    title = max(10, screen.width - first - 2 - moment - 2 - (folder and folder + 2))
    heads = [fit("SESSION", first), fit("UPDATED", moment), "TITLE"]
    heads[2:2] = [fit("PROJECT", folder)] if folder else []
    screen.line(screen.style("dim", "  ".join(heads)))
    for one in sessions:
        project = PurePosixPath((one.project_path or "").replace("\\", "/")).name or "-"
        row = [
            screen.style("cyan", fit(names[one.tool, one.id], first)),
            when(one.updated_at)[:moment].ljust(moment),
            *([screen.style("dim", fit(project, folder))] if folder else []),
            fit(one.heading, title).rstrip(),
        ]
        screen.line("  ".join(row))


def hits_text(screen: Screen, result: SearchResult) -> None:
    """The hits, under one heading for each session."""
    before: tuple[str, str] | None = None
    for hit in result.hits:
        if (hit.tool, hit.session_id) != before:
            if before is not None:
                screen.line()
            _hit_heading(screen, hit)
            before = (hit.tool, hit.session_id)
        label = {"user": "you", "assistant": hit.tool}.get(hit.role, hit.role)
        head = f"  {screen.style('dim', when(hit.timestamp))}  {label}"
        screen.line(head)
        for line in _wrapped(hit.snippet, screen.width - 4):
            screen.line("    " + _marked(screen, line))
    if not result.hits:
        screen.line("Nothing found.")
    for notice in result.notices:
        screen.line(screen.style("yellow", notice))


def _hit_heading(screen: Screen, hit: Hit) -> None:
    name = f"{hit.tool}:{hit.session_id}"
    project = " ".join(plain(hit.project or "").split())
    beside = cells(name) + 2 + cells(project) <= screen.width
    added = screen.style("dim", f"  {project}") if project and beside else ""
    screen.line(screen.style("cyan", name) + added)
    if project and not beside:
        screen.line(screen.style("dim", fit(project, screen.width, keep_end=True).rstrip()))
    screen.line(screen.style("bold", fit(hit.title, screen.width).rstrip()))


def _wrapped(snippet: str, width: int) -> list[str]:
    """The snippet in lines that fit; a found phrase that is cut in two stays marked in both."""
    lines: list[str] = []
    line, used, inside = "", 0, False
    for word in snippet.split():
        size = cells(plain(word.replace(MARK, "").replace(UNMARK, "")))
        if line and used + 1 + size > width:
            lines.append(line + (UNMARK if inside else ""))
            line, used = MARK if inside else "", 0
        elif line:
            line, used = line + " ", used + 1
        inside = word.rfind(MARK) > word.rfind(UNMARK) or (inside and UNMARK not in word)
        line, used = line + word, used + size
    return [*lines, line] if line else lines


def _marked(screen: Screen, snippet: str) -> str:
    parts = snippet.split(MARK)
    text = plain(parts[0])
    for part in parts[1:]:
        word, _, rest = part.partition(UNMARK)
        text += screen.style("bold", plain(word)) + plain(rest)
    return text


def session_text(
    screen: Screen, info: SessionInfo, messages: Sequence[UnifiedMessage], full: bool
) -> None:
    """A whole conversation."""
    screen.line(screen.style("bold", fit(info.heading, screen.width).rstrip()))
    facts = [f"{info.tool}:{info.id}", info.project_path, info.model, when(info.updated_at)]
    screen.line(
        screen.style("dim", "  ".join(" ".join(plain(fact).split()) for fact in facts if fact))
    )
    for entry in arrange(messages):
        if not entry.follows:
            _speaker(screen, entry)
        for item in entry.items:
            for line in _item(screen, item, full):
                screen.line(line)


def _speaker(screen: Screen, entry: Entry) -> None:
    message = entry.message
    who = _WHO.get(message.role, message.tool.capitalize())
    extra = [plain(message.model or ""), when(message.timestamp, seconds=True)]
    details = "  ".join(part for part in extra if part)
    screen.line()
    screen.line(f"{screen.style('bold', who)}  {screen.style('dim', details)}")


def _item(screen: Screen, item: Item, full: bool) -> Iterable[str]:
    match item:
        case TextBlock():
            yield plain(item.text).strip("\n")
        case SlashCommandBlock():
            yield plain(f"{item.command} {item.args or ''}").strip()
        case ThinkingBlock():
            for line in _cut(item.thinking, full, 1):
                shown = line if full else shortened(line, screen.width - 4)
                yield screen.style("dim", f"  ~ {shown}")
        case Exchange():
            yield from _exchange(screen, item, full)
        case ToolResultBlock():
            yield from _result(screen, item, full)
        case ImageBlock() | DocumentBlock():
            yield screen.style("dim", plain(describe(item)))
        case _:
            yield screen.style("dim", f"[{plain(item.type)}]")


def _exchange(screen: Screen, exchange: Exchange, full: bool) -> Iterable[str]:
    result = exchange.result
    failed = result is not None and result.is_error
    sign = screen.style("red", "✗") if failed else screen.style("green", "•")
    name = screen.style("bold", plain(exchange.call.name))
    room = max(20, screen.width - len(exchange.call.name) - 6)
    limit = 100_000 if full else room
    yield f"  {sign} {name}  {plain(argument(exchange.call, limit))}".rstrip()
    if result is not None:
        yield from _result(screen, result, full)


def _result(screen: Screen, result: ToolResultBlock, full: bool) -> Iterable[str]:
    if isinstance(result.content, str):
        text = result.content
    else:
        parts = [
            part.text if isinstance(part, TextBlock) else f"[{part.type}]"
            for part in result.content
        ]
        text = "\n".join(parts)
    for line in _cut(text, full, _SHORT):
        shown = line if full else shortened(line, screen.width - 6)
        yield screen.style("dim", f"      {shown}")


def _cut(text: str, full: bool, lines: int) -> list[str]:
    every = [line for line in plain(text).strip("\n").split("\n") if line.strip() or full]
    if full or len(every) <= lines:
        return every
    return [*every[:lines], f"… {len(every) - lines} more lines"]


def stats_text(screen: Screen, found: Stats) -> None:
    """The sums as a table, and the tools below it."""
    if not found.rows:
        screen.line("No sessions found.")
    else:
        _sums(screen, found)
    tools = found.tools[:15]
    if tools:
        size = min(32, screen.width - 18)
        screen.line()
        screen.line(screen.style("dim", f"{fit('TOOL', size)}{'CALLS':>9}{'ERRORS':>9}"))
        for tool in tools:
            errors = f"{tool.errors:>9,}" if tool.errors else f"{'-':>9}"
            screen.line(f"{fit(tool.name, size)}{tool.calls:>9,}{errors}")
    if found.rows:
        screen.line()
        note = (
            f"Cost by list prices of {found.prices_as_of}; + marks requests without a known price."
        )
        screen.line(screen.style("dim", note))
    for notice in found.notices:
        screen.line(screen.style("yellow", notice))


def _sums(screen: Screen, found: Stats) -> None:
    columns = _columns(screen.width - _least(found.by))
    taken = sum(size for _, size, _ in columns)
    longest = max(10, *(cells(value) for row in found.rows for value in row.values)) + 2
    widths = [min(size, longest) for size in _widths(found.by, screen.width - taken)]
    names = [name.upper() for name in found.by] or ["ALL"]
    titles = "".join(f"{title:>{size}}" for title, size, _ in columns)
    screen.line(screen.style("dim", _key(names, names, widths) + titles))
    for row in found.rows:
        key = _key(row.values or ("all",), found.by, widths)
        screen.line(key + _figures(row.numbers, columns))
    if len(found.rows) > 1:
        total = fit("total", sum(widths)) + _figures(found.total, columns)
        screen.line(screen.style("bold", total))


def _cost(numbers: Numbers) -> str:
    cost = "unknown" if numbers.cost_usd is None else f"${numbers.cost_usd:,.2f}"
    return cost + ("+" if numbers.unpriced and numbers.cost_usd is not None else "")


_Column = tuple[str, int, Callable[[Numbers], str]]
_COLUMNS: tuple[_Column, ...] = (
    ("SESSIONS", 9, lambda numbers: f"{numbers.sessions:,}"),
    ("INPUT", 9, lambda numbers: amount(numbers.input + numbers.cache_write)),
    ("CACHED", 9, lambda numbers: amount(numbers.cache_read)),
    ("OUTPUT", 9, lambda numbers: amount(numbers.output + numbers.reasoning)),
    ("COST", 12, _cost),
)


def _columns(room: int) -> tuple[_Column, ...]:
    """As many figures as fit; a narrow screen does without the lesser ones."""
    left = _COLUMNS
    for lesser in ("CACHED", "SESSIONS", "INPUT", "OUTPUT"):
        if sum(size for _, size, _ in left) <= room:
            break
        left = tuple(column for column in left if column[0] != lesser)
    return left


_FIXED = {"day": 11, "tool": 9}


def _least(by: Sequence[str]) -> int:
    """The columns that the values of these dimensions need."""
    return sum(_FIXED.get(name, 10) for name in by) or 10


def _widths(by: Sequence[str], room: int) -> list[int]:
    """Days and tools need what they need; the others share the rest."""
    given = [_FIXED.get(name, 0) for name in by] or [0]
    loose = given.count(0)
    rest = max(10 * loose, room - sum(given))
    return [size or rest // loose for size in given]


def _key(values: Sequence[str], by: Sequence[str], widths: Sequence[int]) -> str:
    names = list(by) or ["all"]
    rows = zip(values, names, widths, strict=True)
    return "".join(fit(text, size - 1, name == "project") + " " for text, name, size in rows)


def _figures(numbers: Numbers, columns: Sequence[_Column]) -> str:
    return "".join(f"{told(numbers):>{size}}" for _, size, told in columns)


def amount(number: int) -> str:
    """A count in a few characters."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size * 10 or (size > 10**3 and number >= size):
            return (
                f"{number / size:.1f}{letter}"
                if number < size * 1000
                else f"{number // size}{letter}"
            )
    return f"{number:,}"
