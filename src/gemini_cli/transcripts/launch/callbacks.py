"""Calls what the caller gave us to call; an exception in it never ends the run.

Such an exception goes to `on_error`; one in `on_error` itself has nowhere to go and is dropped.
"""

import asyncio

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.launch.options import Delta, ExecuteOptions, Output, StreamEvent
from gemini_cli.transcripts.model import UnifiedMessage


class Callbacks:
    """The callbacks of one run and what `on_stdout` has to be told."""

    def __init__(self, options: ExecuteOptions) -> None:
        self._options = options
        self._output = Output([], [], [])

    def started(self, proc: asyncio.subprocess.Process) -> None:
        """The process exists."""
        if self._options.on_start is not None:
            try:
                self._options.on_start(proc)
            except Exception as error:
                self.failed(error)

    def event(self, raw: str, event: JsonObject, messages: list[UnifiedMessage]) -> None:
        """One event was understood."""
        if self._options.on_stdout is not None:
            self._output.events.append(event)
            self._output.messages.extend(messages)
        if self._options.on_event is not None:
            try:
                self._options.on_event(StreamEvent(raw, event, tuple(messages)))
            except Exception as error:
                self.failed(error)

    def delta(self, delta: Delta) -> None:
        """Live text."""
        if self._options.on_delta is not None:
            try:
                self._options.on_delta(delta)
            except Exception as error:
                self.failed(error)

    def stdout(self, text: str) -> None:
        """A piece of stdout, after its events were told."""
        if self._options.on_stdout is None or not text:
            return
        self._output.parts.append(text)
        try:
            self._options.on_stdout(text if self._options.compat == "sdk" else self._output)
        except Exception as error:
            self.failed(error)

    def stderr(self, text: str) -> None:
        """A piece of stderr."""
        if self._options.on_stderr is not None:
            try:
                self._options.on_stderr(text)
            except Exception as error:
                self.failed(error)

    def closed(self, code: int) -> None:
        """The process is gone."""
        if self._options.on_close is not None:
            try:
                self._options.on_close(code)
            except Exception as error:
                self.failed(error)

    def failed(self, error: Exception) -> None:
        """Something went wrong that does not end the run."""
        if self._options.on_error is not None:
            try:
                self._options.on_error(error)
            except Exception:
                return
