"""What is known of a run while its stdout comes in: lines, events, messages, and the verdict.

It has no process and no clock of its own beyond the arrival time; success is judged here, from
the exit code and from the CLI's own last word together.
"""

import asyncio
import codecs
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gemini_cli.protocol.errors import GeminiError
from gemini_cli.protocol.jsonvalue import JsonValue
from gemini_cli.transcripts.launch.callbacks import Callbacks
from gemini_cli.transcripts.launch.json_text import find_json
from gemini_cli.transcripts.launch.lines import LineBuffer
from gemini_cli.transcripts.launch.options import ExecuteOptions
from gemini_cli.transcripts.launch.reduce import Outcome, Reducer, sum_usage
from gemini_cli.transcripts.launch.reducers import reducer_for
from gemini_cli.transcripts.launch.result import NEVER_FINISHED, ExecuteResult
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.load import load_messages_sync
from gemini_cli.transcripts.model import TextBlock, UnifiedMessage, Usage

QUOTA = (
    "The Gemini quota is used up. Wait until it resets, choose another model with `model`, "
    "or use an API key that has a larger quota."
)
_QUOTA_SIGNS = ("Quota exceeded", "RATE_LIMIT_EXCEEDED")


class Live:
    """The state of one attempt, and the result at its end."""

    def __init__(
        self, options: ExecuteOptions, callbacks: Callbacks, env: Mapping[str, str]
    ) -> None:
        self._options = options
        self._callbacks = callbacks
        self._env = env
        self.timed_out = False
        self.cancelled = False
        self._before: Usage | None = None
        self._earlier: list[UnifiedMessage] = []
        self.reset()

    def reset(self) -> None:
        """Begins an attempt."""
        self._lines = LineBuffer()
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._reducer: Reducer = reducer_for(
            self._options.tool,
            on_delta=None if self._options.on_delta is None else self._callbacks.delta,
            mcp_servers=self._options.mcp_servers,
        )
        if self._before is not None:
            self._reducer.count_from(self._before)
        self._messages: list[UnifiedMessage] = []
        self._noise = 0
        self._trouble: str | None = None
        self._hydrated = False
        self.saw_events = False
        self.code: int | None = None
        self.complaint = ""

    @property
    def outcome(self) -> Outcome:
        """What the stream has said so far."""
        return self._reducer.outcome

    async def prepare(self) -> None:
        """Looks up what a session that is resumed held before: its messages and its tokens."""
        options = self._options
        resumed = options.resume or options.session_id or options.continue_
        if not resumed or not (options.tool == "codex" or options.hydrate):
            return
        named = options.resume if isinstance(options.resume, str) else options.session_id
        self._earlier = await self._stored(named, None if named else options.working_dir)
        if options.tool == "codex":  # its stream counts tokens over all runs of a thread
            for message in self._earlier:
                if message.usage is not None:
                    self._before = sum_usage(self._before, message.usage)
            self.reset()

    async def _stored(
        self, session_id: str | None, folder: str | Path | None = None
    ) -> list[UnifiedMessage]:
        load = msgspec.structs.replace(self._options.load_options, env=self._env)
        try:
            return await asyncio.to_thread(
                load_messages_sync,
                self._options.tool,
                session_id,
                project_path=folder,
                options=load,
            )
        except GeminiError as error:
            self._callbacks.failed(error)
            return []

    def broken(self, reason: str) -> None:
        """The process never came up."""
        self._trouble = reason
        self.code = NEVER_FINISHED

    def take(self, chunk: bytes) -> Iterator[UnifiedMessage]:
        """The messages that a chunk of stdout closes."""
        found: list[UnifiedMessage] = []
        for line in self._lines.feed(chunk):
            found += self._line(line)
        self._callbacks.stdout(self._text.decode(chunk))
        self._messages += found
        return iter(found)

    def finish(self) -> Iterator[UnifiedMessage]:
        """The messages of the last, unterminated line and of the end itself."""
        last = self._lines.flush()
        found = self._line(last) if last is not None else []
        found += self._reducer.finish()
        self._callbacks.stdout(self._text.decode(b"", True))
        self._messages += found
        return iter(found)

    def _line(self, line: str) -> list[UnifiedMessage]:
        if not line.strip():
            return []
        try:
            value = decode(line)
        except ValueError:
            value = None
        events = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
        if not events:
            self._noise += 1
        closed: list[UnifiedMessage] = []
        for event in events:
            if isinstance(event, dict):
                self.saw_events = True
                messages = self._reducer.feed(event, round(time.time() * 1000))
                self._callbacks.event(line, event, messages)
                closed += messages
            else:
                self._noise += 1
        return closed

    async def hydrate(self, begun: float) -> None:
        """Replaces the messages by those of the session file, if that was asked and is there."""
        session_id = self.outcome.session_id
        if not self._options.hydrate or session_id is None or self.timed_out:
            return
        stored = await self._stored(session_id)
        fresh = _after(self._earlier, stored, int(begun * 1000))
        if fresh:
            self._messages = fresh
            self._hydrated = True

    def result(self, duration: int, session_id: str, notes: tuple[str, ...]) -> ExecuteResult[Any]:
        """The verdict."""
        outcome = self.outcome
        complete = not (self.timed_out or self.cancelled) and self.code is not None
        code = self.code if complete and self.code is not None else NEVER_FINISHED
        success = complete and code == 0 and outcome.finished and not outcome.failed
        data, remark = self._data(success)
        return ExecuteResult(
            success=success,
            exit_code=code,
            session_id=session_id,
            duration=duration,
            messages=tuple(self._messages),
            data=data,
            error=None if success else self._error(),
            usage=outcome.usage,
            cost_usd=outcome.cost_usd,
            model=outcome.model,
            stats=outcome.stats,
            events_skipped=self._noise + self._lines.dropped + outcome.unknown,
            timed_out=self.timed_out,
            cancelled=self.cancelled,
            hydrated=self._hydrated,
            notes=(*notes, remark) if remark else notes,
        )

    def _data(self, success: bool) -> tuple[JsonValue, str | None]:
        text = "\n".join(filter(None, map(_answer_text, self._messages)))
        if not (self._options.json and success):
            return text, None
        if self.outcome.structured is not None:
            return self.outcome.structured, None
        for candidate in (self.outcome.answer, text):
            found = find_json(candidate)
            if found.found:
                return found.value, None
        return text, "the answer holds no JSON; data is its text"

    def _error(self) -> str:
        if self.cancelled:
            return "The run was cancelled"
        if self.timed_out:
            return f"Process timeout after {self._options.timeout:g}ms"
        if self._options.tool == "gemini" and any(s in self.complaint for s in _QUOTA_SIGNS):
            return QUOTA
        told = self.outcome.error or self._trouble or self.complaint.strip()
        if told:
            return told
        if self.code == 0:
            return f"{self._options.tool} ended without a result"
        return "Command failed"


def _after(
    earlier: list[UnifiedMessage], stored: list[UnifiedMessage], begun: int
) -> list[UnifiedMessage]:
    """The messages of this run. A resume may have written the earlier ones again, at a new time."""
    said = [(message.role, message.blocks) for message in stored]
    if earlier and said[: len(earlier)] == [(one.role, one.blocks) for one in earlier]:
        return stored[len(earlier) :]
    return [message for message in stored if message.timestamp >= begun]


def _answer_text(message: UnifiedMessage) -> str:
    if message.role != "assistant" or message.is_sidechain:
        return ""
    return "".join(block.text for block in message.blocks if isinstance(block, TextBlock))
