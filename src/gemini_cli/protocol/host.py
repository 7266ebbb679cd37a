"""The port to the machine: files, processes, the workspace and the clock.

Tools reach the machine only through these, so that a sandbox, an editor at the other end
of a wire, or a test can stand in for it.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec


class FileStat(msgspec.Struct, frozen=True):
    """What is known of a path without reading it."""

    kind: Literal["file", "dir", "other"]
    size: int
    modified: float
    mode: int = 0


class Files(Protocol):
    """Reading and writing by absolute path. Raises `ToolProblem` with a fitting kind."""

    async def read(self, path: Path, *, limit: int | None = None) -> bytes:
        """The bytes of a file; at most `limit` of them."""
        ...

    async def write(self, path: Path, data: bytes) -> None:
        """Replaces a file in one step, keeping its mode; makes missing folders."""
        ...

    async def stat(self, path: Path) -> FileStat | None:
        """None where there is nothing."""
        ...

    async def list(self, path: Path) -> Sequence[tuple[str, FileStat]]:
        """Entries of a folder by name, links followed for their kind."""
        ...

    async def delete(self, path: Path) -> None:
        """Removes a file."""
        ...


class PtySize(msgspec.Struct, frozen=True):
    """The terminal a process believes to have."""

    columns: int = 80
    rows: int = 24


class Exit(msgspec.Struct, frozen=True):
    """How a process ended. Exactly one of the two is set, unless it was never started."""

    code: int | None = None
    signal: int | None = None


class Process(Protocol):
    """A running child in a process group of its own."""

    @property
    def pid(self) -> int:
        """Also the id of its group."""
        ...

    def output(self) -> AsyncIterator[bytes]:
        """Standard output and error, merged as they arrive; ends when the process is done."""
        ...

    async def write(self, data: bytes) -> None:
        """Types into it; an error where it has no input."""
        ...

    def resize(self, size: PtySize) -> None:
        """Tells a process on a PTY that its window changed."""
        ...

    async def wait(self) -> Exit:
        """Waits for the end."""
        ...

    async def kill(self, *, grace: float = 0.2) -> None:
        """Asks the whole group to stop, then makes it."""
        ...


class Processes(Protocol):
    """Starting children. Raises `ToolProblem("…", "shell_execute_error")`."""

    async def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        pty: PtySize | None = None,
        stdin: bytes | None = None,
    ) -> Process:
        """Starts `argv` without a shell in between. `stdin=None` means a closed input."""
        ...


class Workspace(Protocol):
    """Where the session may work."""

    @property
    def target(self) -> Path:
        """The folder relative paths are taken from."""
        ...

    @property
    def roots(self) -> tuple[Path, ...]:
        """All folders the session may change."""
        ...

    def resolve(self, text: str, *, for_write: bool = False) -> Path:
        """The real path this text means, or `ToolProblem("path_not_in_workspace")`."""
        ...

    def add(self, root: Path, *, read_only: bool = False) -> None:
        """Widens the workspace."""
        ...

    def shown(self, path: Path) -> str:
        """The path relative to the target folder where that is shorter to read."""
        ...


class Clock(Protocol):
    """Time and fresh names, so that a recording of a turn can be compared to the letter."""

    def now(self) -> str:
        """UTC, ISO-8601 with milliseconds and `Z`."""
        ...

    def monotonic(self) -> float:
        """Seconds, for durations."""
        ...

    def new_id(self) -> str:
        """A fresh unique id."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits; cancelling the task ends the wait."""
        ...
