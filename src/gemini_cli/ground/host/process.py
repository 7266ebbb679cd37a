"""Starts children in a process group of their own and always gets rid of them again.

Output and errors arrive merged; input is closed or a fixed text; the end is the end of the
process, not of whoever still holds its pipes. No shell is put in between.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from gemini_cli.ground.host import family, pty
from gemini_cli.ground.host.channel import TAIL_BYTES, Channel, Tail
from gemini_cli.ground.host.spawn import closing, spawn
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Exit, PtySize

# How long to listen for the last words of a process whose pipe is still held by others.
DRAIN_SECONDS = 0.1
LAST_WAIT = 2.0
# How long who is asked to stop may take to do so.
GRACE = 0.2


class LocalProcess:
    """A running child. Its owner calls `kill` in a `finally`; it is harmless when all is over."""

    def __init__(
        self,
        child: asyncio.subprocess.Process,
        channel: Channel,
        *,
        terminal: Callable[[PtySize], None] | None = None,
        stdin: Channel | None = None,
        text: bytes = b"",
    ) -> None:
        self._child = child
        self._channel = channel
        self._terminal = terminal
        self._born = family.birth(child.pid)
        self._stdin = stdin
        self._tasks = [asyncio.ensure_future(self._watch())]
        if stdin is not None:
            self._tasks.append(asyncio.ensure_future(self._feed(stdin, text)))

    @property
    def pid(self) -> int:
        """Also the id of its group."""
        return self._child.pid

    @property
    def seed(self) -> dict[int, str | None]:
        """What its descendants are found by, also when it has ended itself."""
        return {self.pid: self._born}

    @property
    def tail(self) -> Tail:
        """The last of the output, with the count of what was dropped before it."""
        return self._channel.tail

    def output(self) -> AsyncIterator[bytes]:
        """Standard output and error, merged as they arrive; ends when the process is done."""
        return self._channel.read()

    async def write(self, data: bytes) -> None:
        """Types into it; an error where it has no input."""
        if self._terminal is None:
            raise ToolProblem(
                f"Process {self.pid} takes no input: it was started without a terminal.",
                "shell_execute_error",
            )
        try:
            await self._channel.write(data)
        except OSError as error:
            raise ToolProblem(
                f"Process {self.pid} takes no more input: it has ended.", "shell_execute_error"
            ) from error

    def resize(self, size: PtySize) -> None:
        """Tells a process on a PTY that its window changed; without one there is no window."""
        if self._terminal is not None and not self._channel.closed:
            self._terminal(size)

    async def wait(self) -> Exit:
        """Waits for the end. Cancelling the wait leaves the process alone."""
        await asyncio.shield(self._tasks[0])
        return exit_of(self._child.returncode)

    async def kill(self, *, grace: float = GRACE) -> None:
        """Asks it and all its descendants to stop, then makes them; closes what is left open."""
        try:
            await family.end_family(self.seed, grace=grace)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_WAIT):
                    await self.wait()
        finally:
            self._channel.close()
            for task in self._tasks[1:]:
                task.cancel()

    @property
    def over(self) -> bool:
        """Whether it has ended and nothing of ours is open any more."""
        return self._channel.closed and all(task.done() for task in self._tasks)

    async def _watch(self) -> None:
        await self._child.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._channel.ended.wait()
        self._channel.finish()
        if self._stdin is not None:
            self._stdin.close()

    async def _feed(self, stdin: Channel, text: bytes) -> None:
        try:
            with contextlib.suppress(OSError):
                await stdin.write(text)
        finally:
            stdin.close()


class LocalProcesses:
    """The `Processes` port over this machine."""

    def __init__(self, *, tail_bytes: int = TAIL_BYTES) -> None:
        self._tail_bytes = tail_bytes
        self._started: set[LocalProcess] = set()
        self._ended: dict[int, str | None] = {}

    async def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        pty: PtySize | None = None,
        stdin: bytes | None = None,
    ) -> LocalProcess:
        """Starts `argv` without a shell in between. `stdin=None` means a closed input."""
        if pty is not None:
            process = await self._on_terminal(argv, cwd, env, pty)
        else:
            process = await self._on_pipes(argv, cwd, env, stdin)
        for old in [old for old in self._started if old.over]:
            self._started.discard(old)
            self._ended |= old.seed
        self._started.add(process)
        return process

    async def close(self) -> None:
        """Ends everything this object started and that still runs, and whatever that left
        running in the background."""
        started, self._started = self._started, set()
        ended, self._ended = self._ended, {}
        await asyncio.gather(
            *(process.kill() for process in started),
            *([family.end_family(ended, grace=GRACE)] if ended else []),
        )

    async def _on_pipes(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes | None
    ) -> LocalProcess:
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            reading, writing = closing(os.pipe(), ours, theirs)
            source: int = subprocess.DEVNULL
            feeding: int | None = None
            if stdin is not None:
                source, feeding = closing(os.pipe(), theirs, ours)
            child = await spawn(argv, cwd, env, stdin=source, stdout=writing, stderr=writing)
            ours.pop_all()
        return LocalProcess(
            child,
            Channel(reading, limit=self._tail_bytes),
            stdin=None if feeding is None else Channel(feeding, reads=False),
            text=stdin or b"",
        )

    async def _on_terminal(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], size: PtySize
    ) -> LocalProcess:
        child, master = await pty.spawn_on_terminal(argv, cwd, env, size)
        channel = Channel(master, limit=self._tail_bytes)
        return LocalProcess(child, channel, terminal=lambda new: pty.resize(master, new))


def exit_of(returncode: int | None) -> Exit:
    """asyncio's one number as a code or a signal."""
    if returncode is None:
        return Exit(signal=int(signal.SIGTERM))
    return Exit(signal=-returncode) if returncode < 0 else Exit(code=returncode)
