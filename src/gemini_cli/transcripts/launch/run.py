"""Runs a coding CLI headless and turns its stdout into messages while it works.

`stream` yields each message as it closes, `execute` collects them; both end in one result. When
either is cancelled, closed early or out of time, the whole process family is gone on return.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, overload

import msgspec

from gemini_cli.ground.config.env import Env, from_here
from gemini_cli.protocol.errors import InputError
from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.transcripts.detect import require_cli
from gemini_cli.transcripts.launch.argv import command_line
from gemini_cli.transcripts.launch.callbacks import Callbacks
from gemini_cli.transcripts.launch.live import Live
from gemini_cli.transcripts.launch.options import ExecuteOptions
from gemini_cli.transcripts.launch.process import Child, start
from gemini_cli.transcripts.launch.result import NEVER_FINISHED, ExecuteResult
from gemini_cli.transcripts.launch.retry import reworded
from gemini_cli.transcripts.launch.shim import program, with_node
from gemini_cli.transcripts.model import UnifiedMessage
from gemini_cli.transcripts.registry import check_tool, entry_for

T = TypeVar("T")


@overload
async def execute(options: ExecuteOptions) -> ExecuteResult[JsonValue]: ...
@overload
async def execute(options: ExecuteOptions, schema: type[T]) -> ExecuteResult[T]: ...
async def execute(options: ExecuteOptions, schema: Any = None) -> ExecuteResult[Any]:
    """Runs to the end. With `schema`, `data` is the JSON of the answer as that type."""
    registered = entry_for(options.tool).executor
    if registered is not None:
        result: ExecuteResult[Any] = await registered(options)
    else:
        if schema is not None:
            options = msgspec.structs.replace(options, json=True)
        async with stream(options) as messages:
            async for _ in messages:
                pass
        result = messages.result
    return result if schema is None else _typed(result, schema)


def stream(options: ExecuteOptions) -> "MessageStream":
    """The messages of a run as they close; `.result` after the last one."""
    check_tool(options.tool)
    return MessageStream(options)


class MessageStream:
    """An async iterator of messages. Leaving it early (`aclose`, `async with`) ends the run."""

    def __init__(self, options: ExecuteOptions) -> None:
        self._run = _Run(options)
        self._messages = self._run.messages()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> UnifiedMessage:
        return await anext(self._messages)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the run if it is still going on."""
        await self._messages.aclose()

    @property
    def result(self) -> ExecuteResult[Any]:
        """How the run ended; there is none before the last message."""
        if self._run.result is None:
            raise RuntimeError("The run is not over: read the stream to its end, or close it.")
        return self._run.result


class _Run:
    """One run, from the look-up of the executable to the result."""

    def __init__(self, options: ExecuteOptions) -> None:
        self.options = options
        self.result: ExecuteResult[Any] | None = None
        self._callbacks = Callbacks(options)
        self._begun = time.time()
        self._clock = time.monotonic()
        self._child: Child | None = None

    async def messages(self) -> AsyncGenerator[UnifiedMessage, None]:
        options = self.options
        env = (Env.from_process() if options.env is None else Env(options.env)).with_values(
            options.extra_env
        )
        line = command_line(options)
        cli = _executable(options, env)
        env = with_node(cli, env)
        first, notes, args = program(cli, env.get("PATH", "")), list(line.notes), line.args
        live = Live(options, self._callbacks, env)
        try:
            await live.prepare()
            while True:
                live.reset()
                attempt = self._attempt((*first, *args), line.stdin, env, live)
                # Closing us must close the attempt at once, not when it is collected.
                async with contextlib.aclosing(attempt):
                    async for message in attempt:
                        yield message
                again = reworded(options.tool, args, live.complaint)
                if again is None or live.saw_events or live.code in (0, NEVER_FINISHED):
                    break
                args, note = again
                notes.append(note)
            await live.hydrate(self._begun)
        except (GeneratorExit, asyncio.CancelledError):
            live.cancelled = True
            raise
        finally:
            self.result = live.result(self._elapsed(), self._session_id(live), tuple(notes))

    async def _attempt(
        self, argv: tuple[str, ...], stdin: bytes | None, env: Env, live: Live
    ) -> AsyncGenerator[UnifiedMessage, None]:
        try:
            child = await start(argv, cwd=self._cwd(), env=env.as_dict(), stdin=stdin)
        except OSError as error:
            live.broken(f"{argv[0]} cannot be started: {error.strerror or error}")
            self._callbacks.failed(error)
            return
        child.listen(self._callbacks.stderr)
        self._callbacks.started(child.proc)
        chunks = child.chunks()
        try:
            while (chunk := await self._next(chunks, live)) is not None:
                for message in live.take(chunk):
                    yield message
            if not live.timed_out:
                live.code = await self._code(child, live)
        finally:
            await chunks.aclose()
            if live.code is None:
                await end_for_sure(child, self.options.kill_timeout)
            live.complaint = child.stderr.text
            self._callbacks.closed(NEVER_FINISHED if live.code is None else live.code)
        for message in live.finish():
            yield message

    async def _next(self, chunks: AsyncGenerator[bytes, None], live: Live) -> bytes | None:
        try:
            async with asyncio.timeout(self._left()):
                return await anext(chunks, None)
        except TimeoutError:
            live.timed_out = True
            return None

    async def _code(self, child: Child, live: Live) -> int | None:
        try:
            async with asyncio.timeout(self._left()):
                return await child.finish()
        except TimeoutError:
            live.timed_out = True
            return None

    def _left(self) -> float | None:
        if self.options.timeout is None:
            return None
        return max(0.0, self.options.timeout / 1000 - (time.monotonic() - self._clock))

    def _cwd(self) -> Path | None:
        if self.options.working_dir is None:
            return None
        path = Path(self.options.working_dir)
        if not path.is_dir():
            raise InputError(f"working_dir={str(path)!r} is not a directory.")
        return path

    def _elapsed(self) -> int:
        return round((time.monotonic() - self._clock) * 1000)

    def _session_id(self, live: Live) -> str:
        options = self.options
        resumed = options.resume if isinstance(options.resume, str) and options.resume else None
        known = live.outcome.session_id or resumed or options.session_id
        if known:
            return known
        if options.tool == "gemini":
            return f"gemini-{round(self._begun * 1000)}-{secrets.token_hex(4)}"
        return "unknown"


def _executable(options: ExecuteOptions, env: Env) -> str:
    if options.cli_path is None:
        return require_cli(options.tool, env=env, prefer=options.prefer)
    # A relative path is meant from here, not from the folder the child will work in.
    named = options.cli_path
    return str(from_here(named)) if "/" in named or "\\" in named else named


async def end_for_sure(child: Child, grace_ms: int) -> None:
    """Ends the child even while we are being cancelled; being cancelled here skips the wait."""
    job = asyncio.ensure_future(child.stop(grace_ms))
    interrupted = False
    while not job.done():
        try:
            await asyncio.shield(job)
        except asyncio.CancelledError:
            child.hurry()
            interrupted = True
    if interrupted:
        raise asyncio.CancelledError


def _typed(result: ExecuteResult[Any], schema: type[T]) -> ExecuteResult[T]:
    if not result.success:
        return result
    try:
        value = msgspec.convert(result.data, schema)
    except msgspec.ValidationError as error:
        text = f"The answer does not fit {getattr(schema, '__name__', schema)}: {error}"
        return msgspec.structs.replace(result, success=False, error=text)
    return msgspec.structs.replace(result, data=value)
