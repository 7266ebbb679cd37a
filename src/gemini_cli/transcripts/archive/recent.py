"""The newest sessions, and those an id may mean, without opening every file of every store.

Files are sorted by their time first and only the front is looked into; the session's own time
decides the final order.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence

from gemini_cli.protocol.errors import GeminiError
from gemini_cli.transcripts.archive.sources import Source, sources
from gemini_cli.transcripts.model import SessionInfo
from gemini_cli.transcripts.places import environment
from gemini_cli.transcripts.registry import check_tool, tool_names


def recent_sessions(
    limit: int, tools: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> list[SessionInfo]:
    """The `limit` newest sessions over all tools, newest first."""
    if limit < 1:
        return []
    newest = sorted(_all(tools, env), key=_milliseconds, reverse=True)
    best: dict[tuple[str, str], SessionInfo] = {}
    step, edge = limit * 2 + 20, 0
    for place, source in enumerate(newest):
        # A file is written after what it tells: an older one cannot tell anything newer. Where
        # the times of the files were lost, by a copy of a home, all of them are looked into.
        if place % step == 0 and len(best) >= limit:
            edge = heapq.nlargest(limit, (info.updated_at for info in best.values()))[-1]
        if _milliseconds(source) + _SLACK < edge:
            break
        info = source.describe()
        if info is not None:
            _keep(best, info)
    return heapq.nlargest(limit, best.values(), key=lambda info: info.updated_at)


_SLACK = 60_000


def _keep(best: dict[tuple[str, str], SessionInfo], info: SessionInfo) -> None:
    """Of several files of one session the newest counts."""
    known = best.get((info.tool, info.id))
    if known is None or known.updated_at < info.updated_at:
        best[info.tool, info.id] = info


def matching_sessions(
    beginning: str, tools: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> list[SessionInfo]:
    """Sessions whose id begins so; one that equals it exactly stands alone."""
    wanted = beginning.lower()
    best: dict[tuple[str, str], SessionInfo] = {}
    for source in _all(tools, env):
        # File names hold the id or its first 8 characters: most files need no look inside.
        if source.session_id is None and wanted[:8] not in source.path.lower():
            continue
        info = source.describe()
        if info is None or not info.id.lower().startswith(wanted):
            continue
        _keep(best, info)
    exact = [info for info in best.values() if info.id.lower() == wanted]
    return exact or sorted(best.values(), key=lambda info: info.updated_at, reverse=True)


def _all(tools: Sequence[str], env: Mapping[str, str] | None) -> Iterator[Source]:
    values = environment(env)
    for tool in [check_tool(tool) for tool in tools] or tool_names():
        try:
            yield from sources(tool, values)
        except (GeminiError, OSError):
            continue


def _milliseconds(source: Source) -> int:
    """File times are in nanoseconds, listed ones in milliseconds."""
    return source.stamp // 1_000_000 if source.session_id is None else source.stamp
