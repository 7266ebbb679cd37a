"""Runs git so that a repository cannot make it do anything else.

No hooks, pager, prompt, file-system monitor or system settings; the person's own settings only
on request. Every failure names the command and what git said. It never touches the network
unless the caller's command does.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from gemini_cli.ground.host.capture import capture
from gemini_cli.ground.host.environment import with_git_settings
from gemini_cli.protocol.errors import GeminiError, ToolProblem
from gemini_cli.protocol.host import Exit

TIMEOUT = 30.0
LIMIT = 64 << 20
DIFFING = frozenset({"diff", "log", "show"})

# Variables that point git at another repository or make it run or write something.
HARMFUL = ("GIT_", "SSH_ASKPASS", "GPG_TTY", "PAGER", "EDITOR", "VISUAL")
FIXED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "LC_ALL": "C",
}
SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.attributesFile", "/dev/null"),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("commit.gpgSign", "false"),
    ("protocol.ext.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
)


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

    def environment(self) -> dict[str, str]:
        """What git sees."""
        kept = {n: v for n, v in self.environ.items() if not n.upper().startswith(HARMFUL)}
        fixed = FIXED if self.own_settings else FIXED | {"GIT_CONFIG_GLOBAL": "/dev/null"}
        return with_git_settings(kept | fixed, SETTINGS) | dict(self.extra)

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
        # An empty `diff.external` is an error to git, so it is switched off by flag.
        flags = ("--no-ext-diff",) if args[:1] and args[0] in DIFFING else ()
        try:
            got = await capture(
                ("git", "--no-pager", *args[:1], *flags, *args[1:]),
                cwd=cwd,
                env=self.environment(),
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
        code = got.exit.code
        if code is None or code not in accept:
            raise GitProblem(_failure(shown, cwd, got.exit, got.stderr), code=code)
        return code, got.stdout

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
        found = {}
        for key in ("user.name", "user.email"):
            code, said = await own._run(("config", "--get", key), cwd, None, (0, 1))
            if code == 0 and said.strip():
                found[key] = said.decode(errors="replace").strip()
        return found


def _failure(shown: str, cwd: Path, end: Exit, stderr: bytes) -> str:
    how = f"code {end.code}" if end.code is not None else f"signal {end.signal}"
    said = stderr.decode(errors="replace").strip()[-500:] or "nothing"
    return f"`{shown}` in {cwd} failed with {how}; git said: {said}"
