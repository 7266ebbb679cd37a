"""Where Gemini CLI keeps sessions: the folders of a project, and the files in them.

Old stores name folders after a hash of the project's path, new ones after a short name that a
registry or a marker file explains. Only names are looked at here, no messages.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gemini_cli.ground.formats.session_file import project_hash, short_id
from gemini_cli.transcripts.coerce import as_dict, as_str
from gemini_cli.transcripts.lines import decode
from gemini_cli.transcripts.options import MIB
from gemini_cli.transcripts.places import (
    children,
    head_of,
    home_of,
    is_folder,
    plain_id,
    project_roots,
    same_project,
)

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
_NOT_SESSIONS = frozenset({"logs.json"})


def base(env: Mapping[str, str]) -> Path:
    """The `.gemini` folder: under `GEMINI_CLI_HOME`, else under the home."""
    moved = env.get("GEMINI_CLI_HOME")
    return (Path(moved) if moved else home_of(env)) / ".gemini"


def all_chats(root: Path) -> list[Path]:
    """The `chats` folder of every project."""
    stores = (root / "tmp", root / "projects")
    return [folder / "chats" for store in stores for folder in children(store)]


def project_chats(root: Path, project_path: str) -> list[Path]:
    """The `chats` folders that belong to one project by name, the surest first."""
    roots = project_roots(project_path)
    names = [*_registered(root, roots), *_marked(root, roots), *map(project_hash, roots)]
    stores = (root / "tmp", root / "projects")
    found = [store / name / "chats" for name in dict.fromkeys(names) for store in stores]
    return [folder for folder in found if is_folder(folder)]


def project_of(folder: Path, root: Path) -> str | None:
    """The project path a folder's marker or the registry gives for it."""
    marker = _marker(folder)
    if marker:
        return marker
    for path, slug in _registry(root).items():
        if slug == folder.name:
            return path
    return None


def session_files(chats: Path) -> Iterator[Path]:
    """The sessions of a folder; sub-agents lie one level deeper and are not among them."""
    for entry in children(chats):
        if entry.suffix in (".json", ".jsonl") and entry.name not in _NOT_SESSIONS:
            yield entry


def subagent_files(chats: Path) -> Iterator[Path]:
    """The logs of sub-agents, each in the folder of its parent session."""
    for folder in children(chats):
        if is_folder(folder):
            yield from (entry for entry in children(folder) if entry.suffix == ".jsonl")


def may_hold(path: Path, session_id: str) -> bool:
    """Whether the file's name does not speak against the id; the header decides."""
    return short_id(session_id) in path.name or session_id in path.name


def _registry(root: Path) -> dict[str, str]:
    try:
        found = as_dict(decode(head_of(root / "projects.json", 64 * MIB) or b""))
    except ValueError:
        return {}
    projects = as_dict(found.get("projects")).items()
    return {path: as_str(slug) for path, slug in projects if _SLUG.fullmatch(as_str(slug))}


def _registered(root: Path, roots: list[str]) -> list[str]:
    return [slug for path, slug in _registry(root).items() if same_project(path, roots)]


def _marked(root: Path, roots: list[str]) -> list[str]:
    folders = [f for store in ("tmp", "history") for f in children(root / store)]
    return [f.name for f in folders if plain_id(f.name) and same_project(_marker(f), roots)]


def _marker(folder: Path) -> str | None:
    data = head_of(folder / ".project_root") or b""
    return data.decode("utf-8", "surrogateescape").strip() or None
