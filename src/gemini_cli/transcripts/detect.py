"""Finds the executable of a coding CLI without starting anything.

Order: a variable that names a file, the PATH, the places its installers use with the newest
version first. The original `gemini` is never mistaken for this product's own or the reverse.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from gemini_cli.transcripts.errors import CliNotFoundError
from gemini_cli.transcripts.places import environment, expand
from gemini_cli.transcripts.registry import check_tool, entry_for

Prefer = Literal["path", "self", "upstream"]

_NODE_BINS = (
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "~/.npm-global/bin",
    "~/.local/bin",
    "~/.local/share/mise/installs/node/*/bin",
    "~/.nvm/versions/node/*/bin",
    "~/.volta/bin",
    "~/.bun/bin",
    "%APPDATA%/npm",
)


class Place(Struct, frozen=True):
    """Where a CLI may be: the variable that overrides, its names, the folders of installers."""

    variable: str
    commands: tuple[str, ...]
    folders: tuple[str, ...]
    label: str
    install: str


PLACES: Mapping[str, Place] = {
    "gemini": Place(
        "GEMINI_CLI_PATH",
        ("gemini",),
        _NODE_BINS,
        "Gemini CLI",
        "install it with npm install -g @google/gemini-cli",
    ),
    "claude": Place(
        "CLAUDE_CLI_PATH",
        ("claude",),
        (
            "/usr/local/bin",
            "/usr/bin",
            "/opt/homebrew/bin",
            "~/.local/bin",
            "~/bin",
            "~/.claude/local",
            "~/.npm-global/bin",
            "~/node_modules/.bin",
            "~/.yarn/bin",
            *_NODE_BINS,
        ),
        "Claude Code",
        "install it with npm install -g @anthropic-ai/claude-code",
    ),
    "codex": Place(
        "CODEX_CLI_PATH",
        ("codex",),
        ("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "~/.local/bin", "~/bin", *_NODE_BINS),
        "Codex CLI",
        "install it with npm install -g @openai/codex",
    ),
    "cursor": Place(
        "CURSOR_CLI_PATH",
        ("cursor-agent", "agent"),
        ("~/.local/bin", "~/.local/share/cursor-agent/versions/*"),
        "Cursor CLI",
        "install it as cursor.com/cli describes",
    ),
    "qwen": Place(
        "QWEN_CLI_PATH",
        ("qwen",),
        _NODE_BINS,
        "Qwen Code",
        "install it with npm install -g @qwen-code/qwen-code",
    ),
    "opencode": Place(
        "OPENCODE_CLI_PATH",
        ("opencode",),
        ("~/.opencode/bin", *_NODE_BINS),
        "OpenCode",
        "install it with npm install -g opencode-ai",
    ),
    "copilot": Place(
        "COPILOT_CLI_PATH",
        ("copilot",),
        _NODE_BINS,
        "Copilot CLI",
        "install it with npm install -g @github/copilot",
    ),
}


def detect_cli(
    tool: str, *, env: Mapping[str, str] | None = None, prefer: Prefer = "path"
) -> str | None:
    """The executable of `tool`, or None.

    For gemini, `path` takes this product's own command only if the original is nowhere,
    `self` takes our own first, `upstream` never takes it.
    """
    check_tool(tool)
    values = environment(env)
    detector = entry_for(tool).detector
    if detector is not None:
        return detector(values)
    place = PLACES.get(tool)
    if place is None:
        return None
    named = values.get(place.variable)
    if named and _is_program(path := expand(named, values)):
        return str(path)
    found = [path for path in _candidates(place, values) if _belongs(tool, path)]
    if tool != "gemini":
        return next(iter(found), None)
    own = [path for path in found if is_own(path)] or _beside_interpreter()
    upstream = [path for path in found if not is_own(path)]
    order = {"path": upstream + own, "self": own + upstream, "upstream": upstream}[prefer]
    return next(iter(order), None)


def require_cli(tool: str, *, env: Mapping[str, str] | None = None, prefer: Prefer = "path") -> str:
    """As `detect_cli`, but an absent CLI is a `CliNotFoundError` that says what to do."""
    found = detect_cli(tool, env=env, prefer=prefer)
    if found is not None:
        return found
    place = PLACES.get(tool)
    if place is None:
        raise CliNotFoundError(f"No executable is known for {tool}; give cli_path.", tool)
    raise CliNotFoundError(
        f"{place.label} not found. Set {place.variable} to its executable or {place.install}.",
        tool,
    )


def is_own(path: str) -> bool:
    """Whether an executable is the start script of this product."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(4096)
            if head[:2] == b"MZ":
                stream.seek(0, os.SEEK_END)
                stream.seek(-min(stream.tell(), 64 * 1024), os.SEEK_END)
                return b"gemini_cli" in stream.read() or b"gemini_cli" in head
    except OSError:
        return False
    return head.startswith(b"#!") and b"gemini_cli" in head


def _candidates(place: Place, env: Mapping[str, str]) -> list[str]:
    """Every executable, PATH first; each file once, in the spelling it was met with.

    Entries that are no whole paths do not count: they would find what a project brought along.
    """
    found: dict[str, None] = {}
    path = env.get("PATH", os.defpath)
    for command in place.commands:
        for folder in path.split(os.pathsep):
            if Path(folder).is_absolute() and (hit := shutil.which(command, path=folder)):
                found.setdefault(hit)
    for file in well_known(place, env):
        if _is_program(Path(file)):
            found.setdefault(file)
    return natives_first(found) if sys.platform == "win32" else list(found)


def well_known(place: Place, env: Mapping[str, str], platform: str = sys.platform) -> Iterator[str]:
    """Where the installers of a system put a CLI, in the order it is looked for there."""
    windows = platform == "win32"
    endings = (".exe", ".cmd", "") if windows else ("",)
    for pattern in place.folders:
        if pattern.startswith("/" if windows else "%"):
            continue
        for folder in _expanded(pattern, env):
            for command in place.commands:
                yield from (str(Path(folder, command + ending)) for ending in endings)


def natives_first(found: Iterable[str]) -> list[str]:
    """Windows: a program itself before a shim, which can only be started through its script."""
    return sorted(found, key=lambda path: not path.lower().endswith(".exe"))


def _expanded(pattern: str, env: Mapping[str, str]) -> Iterator[str]:
    if pattern.startswith("%APPDATA%"):
        base = env.get("APPDATA")
        if base:
            yield base + pattern.removeprefix("%APPDATA%")
        return
    if "*" not in pattern:
        yield str(expand(pattern, env))
        return
    folders = expand("~", env).glob(pattern.removeprefix("~/"))
    yield from sorted(map(str, folders), key=_version_key, reverse=True)


def _version_key(path: str) -> list[tuple[int, int, str]]:
    """Numbers compare as numbers, so that v20.9 comes before v20.11."""
    parts = re.split(r"(\d+)", path)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _belongs(tool: str, path: str) -> bool:
    """`agent` is a common word: it counts as Cursor's only when it leads to Cursor's folder."""
    if tool != "cursor" or Path(path).stem != "agent":
        return True
    if "cursor" in os.path.realpath(path).lower():
        return True
    try:
        with Path(path).open("rb") as stream:
            return b"cursor-agent" in stream.read(4096)
    except OSError:
        return False


def _beside_interpreter() -> list[str]:
    name = "gemini.exe" if sys.platform == "win32" else "gemini"
    path = Path(sys.executable).with_name(name)
    return [str(path)] if _is_program(path) and is_own(str(path)) else []
