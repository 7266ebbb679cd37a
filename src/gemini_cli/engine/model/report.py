"""Writes a request that failed to a file, for whoever asked to see more.

It holds the whole conversation, so it is written only where a folder was handed in, for its
owner's eyes alone. No header and no credential is in it.
"""

import logging
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gemini_cli.engine.model.reading import whole_characters
from gemini_cli.engine.model.transport import ModelCall
from gemini_cli.protocol.errors import GeminiError, ModelError
from gemini_cli.protocol.host import Clock

_log = logging.getLogger(__name__)


class Reports:
    """The reports of one process. `folder` is asked for when there is something to write."""

    def __init__(self, folder: Callable[[], Path] | None, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    @contextmanager
    def of(self, call: ModelCall) -> Iterator[None]:
        """Reports the error this call ends with, and lets it pass."""
        try:
            yield
        except ModelError as error:
            self._write(call, error)
            raise

    def _write(self, call: ModelCall, error: ModelError) -> None:
        """Never fails: an error on its way to a person must not be lost to another one."""
        if self._folder is None:
            return
        stack = "".join(traceback.format_exception(error))
        report = {
            "error": {"message": str(error), "stack": stack, "kind": error.kind},
            "context": {"method": call.method, "model": call.model, "request": call.body},
        }
        stamp = self._clock.now().replace(":", "-")
        try:
            folder = self._folder()
            file = folder / f"gemini-client-error-{call.method}-{stamp}.json"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "wb") as out:
                out.write(msgspec.json.format(msgspec.json.encode(whole_characters(report))))
        except (OSError, ValueError, RecursionError, GeminiError) as problem:
            _log.debug("no report of the failed request: %s", problem)
        else:
            _log.debug("the failed request is kept in %s", file)
