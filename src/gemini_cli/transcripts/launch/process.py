"""Starts a child in its own process group, feeds what it says line by line, and ends all of it.

No shell is involved and stdin is closed unless the prompt goes through it. Ending means TERM to
the whole family, a wait, then KILL; when `stop` returns nothing of the family is left running.
A run that is simply dropped, its event loop with it, is killed when its `Child` goes.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

from gemini_cli.transcripts.launch.family import Member, family
from gemini_cli.transcripts.launch.lines import Tail
from gemini_cli.transcripts.launch.result import NEVER_FINISHED

GRACE_MS = 5000
_CHUNK = 256 * 1024
_POLL = 0.03
_DRAIN = 1.0
_PIPE = 1024 * 1024
_ROUNDS = 20
_MARK = "GEMINI_CLI_RUN_MARK"
_marks: weakref.WeakKeyDictionary[asyncio.subprocess.Process, str] = weakref.WeakKeyDictionary()


class KillResult(msgspec.Struct, frozen=True):
    """`killed` is false when there was nothing left to end; `signal` is the last one sent."""

    killed: bool
    signal: str | None = None


async def kill_process(proc: asyncio.subprocess.Process, timeout_ms: int = GRACE_MS) -> KillResult:
    """Ends `proc`, its process group and its descendants: TERM, wait, KILL.

    A process that leads no group of its own is signalled alone, with its descendants.
    """
    return await _kill(proc, timeout_ms, asyncio.Event())


async def _kill(
    proc: asyncio.subprocess.Process, timeout_ms: int, hurried: asyncio.Event
) -> KillResult:
    if sys.platform == "win32":
        return await _kill_windows(proc)
    ending = _Ending(proc)
    if proc.returncode is not None and not ending.alive():
        return KillResult(False)
    ending.send(signal.SIGTERM)
    if await ending.gone(timeout_ms / 1000, hurried):
        return KillResult(True, "SIGTERM")
    ending.send(signal.SIGKILL)
    await ending.gone(2.0, asyncio.Event())
    return KillResult(True, "SIGKILL")


class _Ending:
    """Who must go, kept up to date while they are going."""

    def __init__(self, proc: asyncio.subprocess.Process) -> None:
        self._proc = proc
        self._known: dict[int, Member] = {}
        self._mark = _marks.get(proc)
        self._leads = proc.returncode is not None or _leads_group(proc.pid)

    def alive(self) -> dict[int, Member]:
        dead = self._proc.returncode is not None
        living = family(self._proc.pid, self._known, self._mark, dead=dead)
        self._known.update(living)
        return living

    def send(self, number: signal.Signals) -> None:
        living = self.alive()
        if self._leads and (self._proc.returncode is None or living):
            with contextlib.suppress(OSError):
                os.killpg(self._proc.pid, number)
        elif self._proc.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._proc.send_signal(number)
        for member in living.values():
            if not self._leads or member.group != self._proc.pid:
                with contextlib.suppress(OSError):
                    os.kill(member.pid, number)

    async def gone(self, seconds: float, hurried: asyncio.Event) -> bool:
        """Waits until nobody is left or there is no more time; whether nobody is left."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while self._proc.returncode is None or self.alive():
            left = end - clock()
            if left <= 0 or hurried.is_set():
                return False
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wait(), min(left, _POLL))
        return True

    async def _wait(self) -> None:
        if self._proc.returncode is None:
            await self._proc.wait()
        else:
            await asyncio.sleep(_POLL)


def _leads_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid
    except OSError:
        return False


def abandon(owner: int, pid: int, mark: str | None) -> None:
    """KILL for the family of our child `pid`, without a loop; not in a fork of its owner."""
    if sys.platform == "win32" or os.getpid() != owner:
        return
    try:
        dead = os.waitpid(pid, os.WNOHANG) != (0, 0)
    except ChildProcessError:
        dead = True
    for _ in range(_ROUNDS):  # whoever was being started meanwhile is found the next time
        living = family(pid, mark=mark, dead=dead)
        for member in living.values():
            with contextlib.suppress(OSError):
                os.kill(member.pid, signal.SIGKILL)
        if not living:
            return
        time.sleep(_POLL)


async def _kill_windows(proc: asyncio.subprocess.Process) -> KillResult:
    if proc.returncode is not None:
        return KillResult(False)
    killer = await asyncio.create_subprocess_exec(
        "taskkill", "/T", "/F", "/PID", str(proc.pid), stdout=asyncio.subprocess.DEVNULL
    )
    await killer.wait()
    await proc.wait()
    return KillResult(True, "taskkill")


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells of the exit itself: `Process.wait` would also wait for whoever holds the pipes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class Child:
    """A started CLI: its output as chunks, the tail of its stderr, and its end."""

    def __init__(
        self, proc: asyncio.subprocess.Process, exited: asyncio.Event, stdin: bytes | None
    ) -> None:
        self.proc = proc
        self._exited = exited
        self._hurried = asyncio.Event()
        self.stderr = Tail()
        self._on_stderr: Callable[[str], None] | None = None
        # Only for a run nobody ends: its loop was stopped, or closed without cancelling its tasks.
        self._abandon = weakref.finalize(self, abandon, os.getpid(), proc.pid, _marks.get(proc))
        self._jobs = [asyncio.create_task(self._drain_stderr())]
        if stdin is not None:
            self._jobs.append(asyncio.create_task(self._write(stdin)))

    def listen(self, on_stderr: Callable[[str], None]) -> None:
        """Calls `on_stderr` with each decoded piece."""
        self._on_stderr = on_stderr

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """stdout until its end, or shortly after the child is gone when others hold it open."""
        out = self.proc.stdout
        assert out is not None
        gone = asyncio.create_task(self._exited.wait())
        reading = asyncio.create_task(out.read(_CHUNK))
        try:
            while True:
                await asyncio.wait({reading, gone}, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done():
                    await asyncio.wait({reading}, timeout=_DRAIN)
                if not reading.done() or not (chunk := reading.result()):
                    return
                yield chunk
                reading = asyncio.create_task(out.read(_CHUNK))
        finally:
            reading.cancel()
            gone.cancel()

    async def finish(self) -> int:
        """Waits for the child and for the rest of its stderr; the exit code."""
        await self._exited.wait()
        await asyncio.wait(self._jobs, timeout=_DRAIN)
        self._close()
        return NEVER_FINISHED if self.proc.returncode is None else self.proc.returncode

    async def stop(self, grace_ms: int = GRACE_MS) -> KillResult:
        """Ends the child and everything it started."""
        result = await _kill(self.proc, grace_ms, self._hurried)
        await asyncio.wait(self._jobs, timeout=_DRAIN)
        self._close()
        return result

    def hurry(self) -> None:
        """For a caller who has no more time: a `stop` that is waiting goes on to KILL at once."""
        self._hurried.set()

    def _close(self) -> None:
        self._abandon.detach()
        for job in self._jobs:
            job.cancel()
        # Pipes that a left-over process still holds would keep the loop's transport open.
        transport = getattr(self.proc, "_transport", None)
        if transport is not None and self.proc.returncode is not None:
            transport.close()

    async def _drain_stderr(self) -> None:
        err = self.proc.stderr
        assert err is not None
        while chunk := await err.read(_CHUNK):
            self._hear(self.stderr.feed(chunk))
        self._hear(self.stderr.feed(b"", final=True))

    def _hear(self, text: str) -> None:
        if text and self._on_stderr is not None:
            self._on_stderr(text)

    async def _write(self, data: bytes) -> None:
        pipe = self.proc.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):
            pipe.write(data)
            await pipe.drain()
        with contextlib.suppress(OSError):
            pipe.close()


def _widen(transport: asyncio.SubprocessTransport) -> None:
    """A larger pipe for stdout: CLIs that exit without flushing lose what does not fit in it."""
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    out = transport.get_pipe_transport(1)
    if size is not None and out is not None:
        with contextlib.suppress(OSError, AttributeError, ValueError):
            fcntl.fcntl(out.get_extra_info("pipe").fileno(), size, _PIPE)


async def start(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str],
    stdin: bytes | None = None,
) -> Child:
    """Starts `argv` in a new process group, with exactly `env` and a mark to find it by."""
    value = f"{os.getpid()}-{secrets.token_hex(8)}"
    windows = sys.platform == "win32"
    flags = int(getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)) if windows else 0
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Protocol(loop),
        *argv,
        cwd=cwd,
        env={**env, _MARK: value},
        stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=not windows,
        creationflags=flags,
    )
    _widen(transport)
    proc = asyncio.subprocess.Process(transport, protocol, loop)
    _marks[proc] = f"{_MARK}={value}"
    return Child(proc, protocol.exited, stdin)
