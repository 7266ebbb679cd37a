"""Owns a command while it runs: collects its output, watches the clock, ends it if need be.

A command ends by itself, by silence, by its time limit, or because the call is cancelled. It
never interprets the command.
"""

import asyncio
import contextlib
import os
import shlex
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from gemini_cli.engine.tools.shell.output import Output
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Clock, Exit, Process
from gemini_cli.protocol.tools import ToolContext

PROGRESS_SECONDS = 1.0
UNSET = "shopt -u promptvars nullglob extglob nocaseglob dotglob"


class Patience(msgspec.Struct, frozen=True):
    """How long to wait, in seconds; None is for ever."""

    silence: float | None = 300.0
    total: float | None = None


class Ran(msgspec.Struct, frozen=True):
    """How a command went."""

    output: Output
    exit: Exit
    pid: int
    jobs: tuple[int, ...] = ()
    stopped: Literal["silence", "total"] | None = None


async def run(
    ctx: ToolContext, command: str, cwd: Path, env: Mapping[str, str], patience: Patience
) -> Ran:
    """Runs the command under bash. Cancelling ends it with all its descendants."""
    jobs_file = await _jobs_file(ctx)
    try:
        process = await ctx.processes.start(_argv(command, jobs_file), cwd=cwd, env=env)
        ctx.started(process.pid)
        output = Output()
        try:
            stopped = await _watched(process, output, ctx, patience)
            exit_state = await process.wait()
        except BaseException:
            await process.kill()
            ctx.progress(output.live())
            raise
        jobs = () if stopped or jobs_file is None else await _jobs(ctx, jobs_file)
        return Ran(output, exit_state, process.pid, jobs, stopped)
    finally:
        if jobs_file is not None:
            with contextlib.suppress(ToolProblem):
                await ctx.files.delete(jobs_file)


async def _jobs_file(ctx: ToolContext) -> Path | None:
    """Where the shell notes what it leaves in the background; a full disk stops no command."""
    path = ctx.scratch / f"jobs-{ctx.clock.new_id()}"
    try:
        await ctx.files.write(path, b"")
    except ToolProblem:
        return None
    return path


def _argv(command: str, jobs_file: Path | None) -> list[str]:
    """The command is handed to `eval` as one word, so it cannot break out of our wrapping."""
    place = os.devnull if jobs_file is None else str(jobs_file)
    note_jobs = f"jobs -pr >{shlex.quote(place)} 2>/dev/null"
    script = f'{UNSET}; trap {shlex.quote(note_jobs)} EXIT; eval -- "$1"'
    return ["bash", "-c", script, "bash", command]


async def _watched(
    process: Process, output: Output, ctx: ToolContext, patience: Patience
) -> Literal["silence", "total"] | None:
    """Collects output until the end; on losing patience ends the process and says why."""
    watch = _Watch(ctx.clock, patience)
    live = _Live(ctx, output)

    def heard() -> None:
        watch.heard()
        live.show()

    collecting = asyncio.ensure_future(_collect(process.output(), output, heard))
    try:
        while not collecting.done():
            await asyncio.wait({collecting}, timeout=_sooner(watch.left(), live.left()))
            live.show()
            reason = watch.lost()
            if not collecting.done() and reason is not None:
                await process.kill()
                await collecting
                return reason
        await collecting
        return None
    finally:
        collecting.cancel()


def _sooner(left: float | None, right: float | None) -> float | None:
    known = [value for value in (left, right) if value is not None]
    return min(known) if known else None


async def _collect(chunks: AsyncIterator[bytes], output: Output, heard: Callable[[], None]) -> None:
    async for chunk in chunks:
        output.add(chunk)
        heard()


async def _jobs(ctx: ToolContext, jobs_file: Path) -> tuple[int, ...]:
    try:
        text = await ctx.files.read(jobs_file, limit=65536)
    except ToolProblem:
        return ()
    return tuple(int(word) for word in text.split() if word.isdigit())


class _Watch:
    """Says when patience is lost; any output restores the patience with silence."""

    def __init__(self, clock: Clock, patience: Patience) -> None:
        self._clock = clock
        self._silence = patience.silence
        now = clock.monotonic()
        self._end = None if patience.total is None else now + patience.total
        self._heard = now

    def heard(self) -> None:
        self._heard = self._clock.monotonic()

    def left(self) -> float | None:
        """Seconds until something has to be decided."""
        ends = [] if self._end is None else [self._end]
        if self._silence is not None:
            ends.append(self._heard + self._silence)
        return max(min(ends) - self._clock.monotonic(), 0.01) if ends else None

    def lost(self) -> Literal["silence", "total"] | None:
        now = self._clock.monotonic()
        if self._end is not None and now >= self._end:
            return "total"
        if self._silence is not None and now >= self._heard + self._silence:
            return "silence"
        return None


class _Live:
    """Shows output at most once a second, and the last of it no later than that."""

    def __init__(self, ctx: ToolContext, output: Output) -> None:
        self._ctx = ctx
        self._output = output
        self._shown = 0
        self._last: float | None = None

    def left(self) -> float | None:
        """Seconds until something unseen may be shown; None when all was."""
        if self._shown == self._output.total or self._last is None:
            return None
        return max(self._last + PROGRESS_SECONDS - self._ctx.clock.monotonic(), 0.01)

    def show(self) -> None:
        now = self._ctx.clock.monotonic()
        if self._shown == self._output.total:
            return
        if self._last is None or now - self._last >= PROGRESS_SECONDS:
            self._last = now
            self._shown = self._output.total
            self._ctx.progress(self._output.live())
