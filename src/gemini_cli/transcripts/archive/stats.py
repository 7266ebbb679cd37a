"""What sessions cost: tokens, dollars, tool calls and errors per project, day, model and tool.

Each response counts once however many lines or files repeat it. Days are UTC days. A request of
a model without a known price is counted as such, never priced by guess.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from gemini_cli.protocol.errors import UsageError
from gemini_cli.transcripts.archive.digest import UNKNOWN_MODEL, day_of
from gemini_cli.transcripts.archive.index import Index, Progress, open_index
from gemini_cli.transcripts.archive.prices import AS_OF
from gemini_cli.transcripts.archive.search import Filters, conditions
from gemini_cli.transcripts.registry import check_tool

Dimension = Literal["tool", "project", "day", "model"]
DIMENSIONS: tuple[Dimension, ...] = ("tool", "project", "day", "model")

_COLUMN = {
    "tool": "s.tool",
    "project": "coalesce(s.project, 'unknown')",
    "day": "{0}.day",
    "model": "{0}.model",
}


class Numbers(Struct, frozen=True):
    """Sums. `cost_usd` is None when no request had a known price; `unpriced` had none."""

    sessions: int = 0
    requests: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0
    cost_usd: float | None = None
    unpriced: int = 0
    tool_calls: int = 0
    tool_errors: int = 0


class Row(Struct, frozen=True):
    """The sums for one value of each dimension that was asked for, in that order."""

    values: tuple[str, ...]
    numbers: Numbers


class ToolRow(Struct, frozen=True):
    """How often a tool was called, and how often it failed."""

    name: str
    calls: int
    errors: int


class Stats(Struct, frozen=True):
    """The answer. `prices_as_of` dates the price table behind every cost."""

    by: tuple[Dimension, ...]
    rows: tuple[Row, ...]
    tools: tuple[ToolRow, ...]
    total: Numbers
    prices_as_of: str = AS_OF
    notices: tuple[str, ...] = ()


def session_stats(
    by: Sequence[Dimension] = ("model",),
    filters: Filters | None = None,
    *,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Stats:
    """The sums over all sessions. `filters.role` means nothing here."""
    chosen = filters or Filters()
    for tool in chosen.tools:
        check_tool(tool)
    unknown = [name for name in by if name not in DIMENSIONS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no dimension; use {', '.join(DIMENSIONS)}.")
    with open_index(folder, env) as index:
        index.update(chosen.tools or None, progress)
        try:
            return collect(index, by, chosen)
        except sqlite3.OperationalError as error:
            notice = f"The search index could not be read: {error}."
            return Stats(tuple(by), (), (), Numbers(), AS_OF, (*index.notices, notice))
        except sqlite3.DatabaseError as error:
            index.rebuild(error)
            index.update(chosen.tools or None)
            return collect(index, by, chosen)


def collect(index: Index, by: Sequence[Dimension], filters: Filters) -> Stats:
    """The same on an index that is open already, as it is."""
    plain = Filters(tools=filters.tools, project=filters.project)
    where, values = conditions(plain, "")
    rows = _rows(index, by, where, values, filters)
    total = _rows(index, (), where, values, filters)
    span, extra = _span("c", filters)
    tools = index.link.execute(
        "SELECT c.name, sum(c.calls), sum(c.errors) FROM call c JOIN session s ON s.id = c.session"
        f" WHERE 1{where}{span} GROUP BY c.name ORDER BY 2 DESC, 1",
        (*values, *extra),
    )
    return Stats(
        tuple(by),
        tuple(Row(key, numbers) for key, numbers in rows.items()),
        tuple(ToolRow(*row) for row in tools),
        total.get((), Numbers()),
        AS_OF,
        tuple(index.notices),
    )


def _span(table: str, filters: Filters) -> tuple[str, list[object]]:
    """Days that lie within the time that was asked for."""
    parts: str = ""
    values: list[object] = []
    if filters.since is not None:
        parts += f" AND {table}.day >= ?"
        values.append(day_of(filters.since))
    if filters.until is not None:
        parts += f" AND {table}.day <= ?"
        values.append(day_of(filters.until - 1))
    return parts, values


def _rows(
    index: Index,
    by: Sequence[Dimension],
    where: str,
    values: list[object],
    filters: Filters,
) -> dict[tuple[str, ...], Numbers]:
    found: dict[tuple[str, ...], Numbers] = {}
    for table, sums in ((_VISITS, _VISIT_SUMS), ("usage", _USAGE_SUMS), ("call", _CALL_SUMS)):
        columns = [_COLUMN[name].format("t") for name in by]
        head = "".join(f"{column}, " for column in columns)
        group = f" GROUP BY {', '.join(columns)}" if columns else ""
        span, extra = _span("t", filters)
        rows = index.link.execute(
            f"SELECT {head}{sums} FROM {table} t"
            f" JOIN session s ON s.id = t.session WHERE 1{where}{span}{group}",
            (*values, *extra),
        )
        for row in rows:
            key = tuple(str(value) for value in row[: len(by)])
            found[key] = _merged(found.get(key, Numbers()), row[len(by) :], sums)
    return dict(sorted(found.items(), key=lambda item: _weight(item, by)))


_USAGE_SUMS = (
    "total(t.requests), total(t.input), total(t.cache_read), total(t.cache_write),"
    " total(t.output), total(t.reasoning), total(t.cost), total(t.unpriced)"
)
_CALL_SUMS = "total(t.calls), total(t.errors)"
_VISIT_SUMS = "count(DISTINCT t.session)"
# A session that tells neither tokens nor calls is one of its last day and its own model.
_VISITS = (
    "(SELECT session, day, model FROM usage UNION SELECT session, day, model FROM call UNION"
    " SELECT id, coalesce(date(updated / 1000, 'unixepoch'), 'unknown'),"
    f" coalesce(model, '{UNKNOWN_MODEL}') FROM session WHERE messages > 0"
    " AND id NOT IN (SELECT session FROM usage) AND id NOT IN (SELECT session FROM call))"
)


def _merged(before: Numbers, row: Sequence[float], sums: str) -> Numbers:
    if sums == _VISIT_SUMS:
        return structs.replace(before, sessions=int(row[0]))
    if sums == _CALL_SUMS:
        return structs.replace(before, tool_calls=int(row[0]), tool_errors=int(row[1]))
    requests, unpriced = int(row[0]), int(row[7])
    cost = float(row[6]) if requests > unpriced else None
    fresh, read, written, output, reasoning = (int(number) for number in row[1:6])
    sessions = before.sessions
    return Numbers(sessions, requests, fresh, read, written, output, reasoning, cost, unpriced)


def _weight(item: tuple[tuple[str, ...], Numbers], by: Sequence[Dimension]) -> tuple[object, ...]:
    """Days in their order, everything else by how much was spent."""
    key, numbers = item
    days = tuple(value for name, value in zip(by, key, strict=True) if name == "day")
    tokens = numbers.input + numbers.cache_read + numbers.cache_write + numbers.output
    return (*days, -(numbers.cost_usd or 0.0), -tokens, key)
