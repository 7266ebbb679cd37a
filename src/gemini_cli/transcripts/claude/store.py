"""Where Claude Code keeps sessions: one folder per working directory, its name made plain.

The encoding of a path loses information, so folders are found from paths and never the other
way round. Worktrees of one repository are looked up in git's own files.
"""

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.transcripts.places import (
    children,
    expand,
    head_of,
    home_of,
    is_file,
    is_folder,
    project_roots,
    walk,
)

_LONGEST = 200
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def bases(env: Mapping[str, str]) -> list[Path]:
    """The configuration folders: those of `CLAUDE_CONFIG_DIR`, else both customary ones."""
    named = [part.strip() for part in (env.get("CLAUDE_CONFIG_DIR") or "").split(",")]
    listed = [expand(part, env) for part in named if part]
    return listed or [home_of(env) / ".claude", home_of(env) / ".config" / "claude"]


def encode(path: str) -> str:
    """The folder name of a working directory, not yet cut."""
    plain = unicodedata.normalize("NFC", path)
    return "".join(_kept(c) for c in plain)


def _kept(char: str) -> str:
    if char.isascii() and char.isalnum():
        return char
    return "--" if ord(char) > 0xFFFF else "-"


def project_folders(env: Mapping[str, str], project_path: str) -> list[Path]:
    """The existing folders of one project."""
    names = list(dict.fromkeys(encode(root) for root in project_roots(project_path)))
    legacy = [root.replace("/", "-") for root in project_roots(project_path)]
    found: list[Path] = []
    for base in bases(env):
        for folder in children(base / "projects"):
            if folder.name in legacy or any(_fits(folder.name, name) for name in names):
                found.append(folder)
    return found


def _fits(folder: str, name: str) -> bool:
    if len(name) <= _LONGEST:
        return folder == name
    return folder.startswith(name[:_LONGEST] + "-")


def all_folders(env: Mapping[str, str]) -> list[Path]:
    """The folders of every project."""
    return [folder for base in bases(env) for folder in children(base / "projects")]


def session_files(folder: Path) -> Iterator[Path]:
    """The sessions of a folder, without sub-agents."""
    for entry in children(folder):
        if entry.suffix == ".jsonl" and not entry.name.startswith("agent-"):
            yield entry


def subagent_files(folder: Path) -> Iterator[Path]:
    """The logs of sub-agents, beside the sessions or below them."""
    for entry in children(folder):
        if entry.suffix == ".jsonl" and entry.name.startswith("agent-"):
            yield entry
        elif is_folder(entry):
            below = walk(entry / "subagents")
            yield from (path for path in below if path.suffix == ".jsonl")


def worktrees(project_path: str) -> list[str]:
    """The other working directories of the repository a project lies in."""
    for root in project_roots(project_path):
        for folder in (Path(root), *Path(root).parents):
            marker = folder / ".git"
            if is_folder(marker) or is_file(marker):
                common = _common_dir(marker)
                found = _linked(common) if common else []
                return [path for path in found if path != str(folder)]
    return []


def _common_dir(marker: Path) -> Path | None:
    if is_folder(marker):
        return marker
    text = _first_line(marker)
    if not text.startswith("gitdir:"):
        return None
    own = marker.parent / text.removeprefix("gitdir:").strip()
    shared = _first_line(own / "commondir")
    return Path(os.path.realpath(own / shared))


def _linked(common: Path) -> list[str]:
    found = [str(common.parent)]
    for folder in children(common / "worktrees"):
        named = _first_line(folder / "gitdir")
        if named:
            found.append(str(Path(named).parent))
    return found


def _first_line(path: Path) -> str:
    data = head_of(path, 4096) or b""
    line = data.partition(b"\n")[0].decode("utf-8", "replace").strip()
    return "" if "\0" in line else line
