"""Files, processes and a workspace in memory.

Paths are never looked up on the disk, and nothing is ever started.
"""

import asyncio
import os.path
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Exit, FileStat, PtySize


class FakeFiles:
    """Implements `Files` over a dict."""

    def __init__(self, files: Mapping[str, str | bytes] | None = None) -> None:
        self.files = {
            Path(path): data.encode() if isinstance(data, str) else data
            for path, data in (files or {}).items()
        }

    async def read(self, path: Path, *, limit: int | None = None) -> bytes:
        """The bytes, or `file_not_found`."""
        await asyncio.sleep(0)
        if path not in self.files:
            raise ToolProblem(f"File not found: {path}", "file_not_found")
        return self.files[path][:limit]

    async def write(self, path: Path, data: bytes) -> None:
        """Replaces a file."""
        await asyncio.sleep(0)
        self.files[path] = data

    async def stat(self, path: Path) -> FileStat | None:
        """A file, or a folder where files lie below."""
        if path in self.files:
            return FileStat("file", len(self.files[path]), 0.0)
        if any(path in each.parents for each in self.files):
            return FileStat("dir", 0, 0.0)
        return None

    async def list(self, path: Path) -> Sequence[tuple[str, FileStat]]:
        """The entries right below a folder."""
        below = [each.relative_to(path) for each in self.files if path in each.parents]
        found = []
        for name in sorted({each.parts[0] for each in below}):
            stat = await self.stat(path / name)
            assert stat is not None
            found.append((name, stat))
        return found

    async def delete(self, path: Path) -> None:
        """Removes a file, or says that there is none."""
        if self.files.pop(path, None) is None:
            raise ToolProblem(f"File not found: {path}", "file_not_found")


class FakeProcess:
    """Implements `Process`: replays its output, then ends, or runs until killed."""

    def __init__(self, pid: int, output: bytes, code: int | None) -> None:
        self.pid = pid
        self.written = b""
        self.size: PtySize | None = None
        self._output = output
        self._exit: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        if code is not None:
            self._exit.set_result(Exit(code=code))

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return not self._exit.done()

    async def output(self) -> AsyncIterator[bytes]:
        """All of its output in one piece."""
        if self._output:
            yield self._output
        await asyncio.shield(self._exit)

    async def write(self, data: bytes) -> None:
        """Keeps what was typed."""
        self.written += data

    def resize(self, size: PtySize) -> None:
        """Keeps the size."""
        self.size = size

    async def wait(self) -> Exit:
        """The end."""
        return await asyncio.shield(self._exit)

    async def kill(self, *, grace: float = 0.2) -> None:
        """Ends it at once."""
        if self.running:
            self._exit.set_result(Exit(signal=15))


class FakeProcesses:
    """Implements `Processes`. `code=None` makes processes that run until they are killed."""

    def __init__(self, output: bytes = b"", code: int | None = 0) -> None:
        self.started: list[FakeProcess] = []
        self.argvs: list[tuple[str, ...]] = []
        self._output = output
        self._code = code

    async def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        pty: PtySize | None = None,
        stdin: bytes | None = None,
    ) -> FakeProcess:
        """Pretends to start one."""
        await asyncio.sleep(0)
        self.argvs.append(tuple(argv))
        process = FakeProcess(1000 + len(self.started), self._output, self._code)
        self.started.append(process)
        return process


class FakeWorkspace:
    """Implements `Workspace` by looking at the text of paths only."""

    def __init__(self, target: str = "/work") -> None:
        self.target = Path(target)
        self.added: list[Path] = []

    @property
    def roots(self) -> tuple[Path, ...]:
        """The target and what was added."""
        return (self.target, *self.added)

    def resolve(self, text: str, *, for_write: bool = False) -> Path:
        """The path below a root, or `path_not_in_workspace`."""
        path = Path(os.path.normpath(self.target / PurePosixPath(text)))
        if not any(root == path or root in path.parents for root in self.roots):
            raise ToolProblem(f"{text} is outside of the workspace", "path_not_in_workspace")
        return path

    def add(self, root: Path, *, read_only: bool = False) -> None:
        """Widens the workspace."""
        self.added.append(root)

    def shown(self, path: Path) -> str:
        """Relative to the target where it lies below."""
        return str(path.relative_to(self.target)) if self.target in path.parents else str(path)
