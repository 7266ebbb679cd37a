"""Runs git so that a repository cannot make it do anything else; `git_guard` says how.

The person's own settings count only on request. Every failure names the command and what git
said. It touches the network only for commands that are about it, such as `clone`; those are
for repositories of our own making, since a repository chooses its remote's programs.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from gemini_cli.ground.host.capture import Captured, capture
from gemini_cli.ground.host.environment import with_git_settings
from gemini_cli.ground.host.git_guard import (
    CONNECTING,
    FIXED,
    HARMFUL,
    LIST_FILTERS,
    NO_TRANSPORT,
    SETTINGS,
    UNFILTERED,
    command_at,
    guarded,
    without_filters,
)
from gemini_cli.protocol.errors import GeminiError, ToolProblem
from gemini_cli.protocol.host import Exit

TIMEOUT = 30.0
LIMIT = 64 << 20


class GitProblem(GeminiError):
    """A git command failed; the message names it and what git said. `code` is git's own."""

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class Git(msgspec.Struct, frozen=True):
    """git with a given environment, in which `PATH` finds the program.

    `own_settings` lets the person's global configuration through, for their name and address.
    `extra` is put on top, such as the folders of a repository kept elsewhere.
    """

    environ: Mapping[str, str]
    own_settings: bool = False
    extra: Mapping[str, str] = {}
    timeout: float = TIMEOUT

    def environment(
        self, command: str = "", more: Sequence[tuple[str, str]] = ()
    ) -> dict[str, str]:
        """What git sees when it runs `command`; `more` are settings on top."""
        kept = {n: v for n, v in self.environ.items() if not n.upper().startswith(HARMFUL)}
        fixed = FIXED if self.own_settings else FIXED | {"GIT_CONFIG_GLOBAL": "/dev/null"}
        if command not in CONNECTING:
            fixed = fixed | NO_TRANSPORT
        return with_git_settings(kept | fixed, (*SETTINGS, *more)) | dict(self.extra)

    async def run(
        self, *args: str, cwd: Path, stdin: bytes | None = None, accept: Iterable[int] = (0,)
    ) -> bytes:
        """Standard output of `git ARGS`; `GitProblem` if it ends with another code."""
        return (await self._run(args, cwd, stdin, tuple(accept)))[1]

    async def answers(self, *args: str, cwd: Path) -> bool:
        """For commands that say yes with 0 and no with 1."""
        return (await self._run(args, cwd, None, (0, 1)))[0] == 0

    async def _run(
        self, args: Sequence[str], cwd: Path, stdin: bytes | None, accept: tuple[int, ...]
    ) -> tuple[int, bytes]:
        shown = "git " + " ".join(args[:6]) + (" …" if len(args) > 6 else "")
        command = "".join(args[command_at(args) :][:1])
        more: tuple[tuple[str, str], ...] = ()
        if command not in UNFILTERED:
            more = without_filters((await self._capture(shown, LIST_FILTERS, cwd)).stdout)
        got = await self._capture(
            shown, guarded(args), cwd, stdin=stdin, env=self.environment(command, more)
        )
        code = got.exit.code
        if code is None or code not in accept:
            raise GitProblem(_failure(shown, cwd, got.exit, got.stderr), code=code)
        return code, got.stdout

    async def _capture(
        self,
        shown: str,
        args: Sequence[str],
        cwd: Path,
        *,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Captured:
        try:
            got = await capture(
                ("git", "--no-pager", *args),
                cwd=cwd,
                env=self.environment() if env is None else env,
                stdin=stdin,
                timeout=self.timeout,
                limit=LIMIT,
            )
        except ToolProblem as problem:
            raise GitProblem(f"`{shown}` could not run in {cwd}: {problem}") from problem
        if got.timed_out:
            raise GitProblem(f"`{shown}` in {cwd} took longer than {self.timeout:g} s.")
        if got.dropped:
            raise GitProblem(f"`{shown}` in {cwd} said more than {LIMIT >> 20} MiB.")
        return got

    async def is_ignored(self, path: Path, *, cwd: Path) -> bool:
        """Whether git leaves this path alone; a tracked file is not ignored."""
        return await self.answers("check-ignore", "-q", "--", str(path), cwd=cwd)

    async def is_tracked(self, path: Path, *, cwd: Path) -> bool:
        """Whether the file is in the index."""
        listed = await self.run("--literal-pathspecs", "ls-files", "-z", "--", str(path), cwd=cwd)
        return listed != b""

    async def head(self, *, cwd: Path) -> str | None:
        """The commit checked out; None before the first one."""
        args = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        code, said = await self._run(args, cwd, None, (0, 1))
        return said.decode().strip() if code == 0 else None

    async def is_clean(self, *, cwd: Path) -> bool:
        """Whether nothing is changed and nothing new lies about."""
        said = await self.run(
            "status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none",
            cwd=cwd,
        )  # fmt: skip
        return said == b""

    async def identity(self, *, cwd: Path) -> dict[str, str]:
        """`user.name` and `user.email` as the person set them, as far as they are set."""
        own = msgspec.structs.replace(self, own_settings=True)
        args = ("config", "-z", "--get-regexp", "^user[.](name|email)$")
        _, said = await own._run(args, cwd, None, (0, 1))
        found = {}
        for entry in said.decode(errors="replace").split("\0"):
            key, _, value = entry.partition("\n")
            if value.strip():
                found[key] = value.strip()
        return found


def _failure(shown: str, cwd: Path, end: Exit, stderr: bytes) -> str:
    how = f"code {end.code}" if end.code is not None else f"signal {end.signal}"
    said = stderr.decode(errors="replace").strip()[-500:] or "nothing"
    return f"`{shown}` in {cwd} failed with {how}; git said: {said}"
