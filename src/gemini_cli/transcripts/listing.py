"""The sessions of one tool or of all, newest first, described without being loaded.

A store that is absent or broken adds nothing; it never hides the others.
"""

import heapq
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from gemini_cli.protocol.errors import GeminiError
from gemini_cli.transcripts.model import SessionInfo
from gemini_cli.transcripts.options import SessionQuery
from gemini_cli.transcripts.places import environment, expand
from gemini_cli.transcripts.registry import check_tool, loader_for, tool_names


def list_sessions(
    tool: str | None = None,
    project_path: str | Path | None = None,
    limit: int | None = None,
    *,
    env: Mapping[str, str] | None = None,
    include_exec: bool = False,
    include_archived: bool = False,
    current_id: str | None = None,
) -> list[SessionInfo]:
    """Newest first. `current_id` is the session the caller is in; it is marked as such."""
    found_env = environment(env)
    project = None if project_path is None else str(expand(str(project_path), found_env))
    query = SessionQuery(
        project_path=project, include_exec=include_exec, include_archived=include_archived
    )
    tools = tool_names() if tool is None else (check_tool(tool),)
    every = (info for name in tools for info in _of(name, query, found_env))
    marked = (replace(i, is_current=True) if i.id == current_id else i for i in every)
    if limit is not None:
        return heapq.nlargest(max(0, limit), marked, key=lambda info: info.updated_at)
    return sorted(marked, key=lambda info: info.updated_at, reverse=True)


def resume_numbers(sessions: list[SessionInfo]) -> dict[str, int]:
    """The numbers `gemini --resume N` knows sessions by: oldest start first, from 1."""
    ordered = sorted(sessions, key=lambda info: info.created_at)
    return {info.id: number for number, info in enumerate(ordered, start=1)}


def _of(tool: str, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
    try:
        yield from loader_for(tool).list_sessions(query, env)
    except (GeminiError, OSError):
        return
