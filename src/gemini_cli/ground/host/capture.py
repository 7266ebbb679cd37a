"""Runs one command to its end and gives back output and errors apart.

For commands whose answer is read by a program: hooks, git, discovery. A command stopped by its
time limit or by cancellation takes its descendants along; what a finished one left behind on
purpose stays.
"""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gemini_cli.ground.host import family
from gemini_cli.ground.host.channel import Channel
from gemini_cli.ground.host.process import DRAIN_SECONDS, LAST_WAIT, exit_of
from gemini_cli.ground.host.spawn import closing, spawn
from gemini_cli.protocol.host import Exit

LIMIT = 10 << 20


class Captured(msgspec.Struct, frozen=True):
    """What a command said and how it ended. `dropped` counts bytes beyond the limit."""

    exit: Exit
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    dropped: int = 0


async def capture(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    timeout: float | None = None,
    grace: float = 0.2,
    limit: int = LIMIT,
) -> Captured:
    """Runs `argv` without a shell; of each stream the last `limit` bytes are kept."""
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        out, out_end = closing(os.pipe(), ours, theirs)
        err, err_end = closing(os.pipe(), ours, theirs)
        source, feeding = subprocess.DEVNULL, -1
        if stdin is not None:
            source, feeding = closing(os.pipe(), theirs, ours)
        child = await spawn(argv, cwd, env, stdin=source, stdout=out_end, stderr=err_end)
        ours.pop_all()
    channels = [Channel(out, limit=limit), Channel(err, limit=limit)]
    feed = Channel(feeding, reads=False) if feeding >= 0 else None
    try:
        timed_out = await _attend(child, channels, feed, stdin or b"", timeout, grace)
    finally:
        for channel in (*channels, *([feed] if feed else ())):
            channel.close()
    tails = [channel.tail for channel in channels]
    return Captured(
        exit=exit_of(child.returncode),
        stdout=tails[0].read(),
        stderr=tails[1].read(),
        timed_out=timed_out,
        dropped=sum(tail.dropped for tail in tails),
    )


async def _attend(
    child: asyncio.subprocess.Process,
    channels: list[Channel],
    feed: Channel | None,
    text: bytes,
    timeout: float | None,
    grace: float,
) -> bool:
    """Sees the command through; True if it had to be stopped for its time limit."""
    born = family.birth(child.pid)
    feeding = asyncio.ensure_future(_feed(feed, text)) if feed else None
    finished = False
    try:
        async with asyncio.timeout(timeout):
            await child.wait()
            finished = True
    except TimeoutError:
        return True
    finally:
        if feeding:
            feeding.cancel()
        if not finished:
            await family.end_family({child.pid: born}, grace=grace)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_WAIT):
                    await child.wait()
        await _listen(channels)
    return False


async def _listen(channels: list[Channel]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            for channel in channels:
                await channel.ended.wait()
    for channel in channels:
        channel.finish()


async def _feed(feed: Channel, text: bytes) -> None:
    with contextlib.suppress(OSError):
        await feed.write(text)
    feed.close()
