"""The loading and listing functions for async callers: the same work in a thread.

Apart from the others because the event loop is half of what importing them would cost.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

from gemini_cli.transcripts.follow import Follower
from gemini_cli.transcripts.listing import list_sessions
from gemini_cli.transcripts.load import (
    DEFAULT,
    find_session,
    load_messages_sync,
    read_found,
    reader_of,
)
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions
from gemini_cli.transcripts.registry import loader_for


async def load_messages(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
) -> list[UnifiedMessage]:
    """`load_messages_sync` in a worker thread, so that a big file does not stop the loop."""
    return await asyncio.to_thread(
        load_messages_sync,
        tool,
        session_id,
        project_path=project_path,
        session_path=session_path,
        options=options,
    )


async def aiter_messages(
    tool: str,
    session_id: str | None = None,
    *,
    project_path: str | Path | None = None,
    session_path: str | Path | None = None,
    options: LoadOptions = DEFAULT,
    report: LoadReport | None = None,
) -> AsyncIterator[UnifiedMessage]:
    """`iter_messages` for async callers; following ends when the iteration is cancelled."""
    found = await asyncio.to_thread(
        find_session,
        tool,
        session_id,
        project_path=project_path,
        session_path=session_path,
        options=options,
    )
    if found is None:
        return
    loader = loader_for(tool)
    if options.follow:
        follower = Follower(found.path, reader_of(loader, found, options))
        while True:
            for message in await asyncio.to_thread(lambda: list(follower.fresh())):
                yield message
            await asyncio.sleep(options.poll_seconds)
    messages = read_found(loader, found, options, report if report is not None else LoadReport())
    while batch := await asyncio.to_thread(_some, messages):
        for message in batch:
            yield message


def _some(messages: Iterator[UnifiedMessage], limit: int = 64) -> list[UnifiedMessage]:
    batch: list[UnifiedMessage] = []
    for message in messages:
        batch.append(message)
        if len(batch) == limit:
            break
    return batch


async def alist_sessions(
    tool: str | None = None,
    project_path: str | Path | None = None,
    limit: int | None = None,
    *,
    env: Mapping[str, str] | None = None,
    include_exec: bool = False,
    include_archived: bool = False,
    current_id: str | None = None,
) -> list[SessionInfo]:
    """`list_sessions` in a worker thread."""
    return await asyncio.to_thread(
        list_sessions,
        tool,
        project_path,
        limit,
        env=env,
        include_exec=include_exec,
        include_archived=include_archived,
        current_id=current_id,
    )
