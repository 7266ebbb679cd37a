"""The short id of a project: the folder name under `tmp` and `history` that stands for a path.

`lookup` only reads; `claim` also makes what is missing. Markers inside the folders say
whose they are, so a lost or damaged registry mends itself. Several processes may claim at
once. A registry that may not be read is never replaced.
"""

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gemini_cli.ground.config.disk import Unreadable, locked, make_private, read_text, write_text
from gemini_cli.ground.config.env import from_here
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.formats.jsonc import JsoncError, parse
from gemini_cli.protocol.errors import ConfigError

MARKER = ".project_root"
_WINDOWS = sys.platform == "win32"


def project_hash(root: Path) -> str:
    """The hash older layouts used as folder name; records still carry it."""
    return hashlib.sha256(_text(root).encode()).hexdigest()


def lookup(paths: Paths, root: Path) -> str | None:
    """The short id of `root`, or None where it has none yet. Writes nothing."""
    key = _key(root)
    with _trouble_told(paths):
        short_id = _registry(paths.projects).get(key)
        if short_id is not None and not _contradicted(paths, short_id, key):
            return short_id
        return _owned(paths, key)


def claim(paths: Paths, root: Path) -> str:
    """The short id of `root`, made and registered where it has none yet.

    Raises ConfigError where the global directory cannot be used.
    """
    key = _key(root)
    with _trouble_told(paths):
        settled = _registry(paths.projects).get(key)
        if settled is not None and _marked(paths, settled, key):
            return settled
    with _trouble_told(paths):
        make_private(paths.global_dir)
    with _trouble_told(paths), locked(paths.projects):
        short_id = _claim(paths, key)
        _adopt_old(paths, root, short_id)
        return short_id


@contextlib.contextmanager
def _trouble_told(paths: Paths) -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        raise ConfigError(f"{paths.projects} {error}. Mend or delete it.") from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        reason = error.strerror or str(error)
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        mend = "Move it away" if in_the_way else f"Make {paths.global_dir} writable"
        raise ConfigError(
            f"The project cannot be registered: {place}{reason}. "
            f"{mend}, or set GEMINI_CLI_HOME to another directory."
        ) from error


def _claim(paths: Paths, key: str) -> str:
    registry = _registry(paths.projects)
    known = registry.get(key)
    if known is not None and not _contradicted(paths, known, key) and _mark(paths, known, key):
        return known
    found = _owned(paths, key)
    if found is None or not _mark(paths, found, key):
        found = _fresh(paths, key, set(registry.values()))
    registry[key] = found
    text = msgspec.json.format(msgspec.json.encode({"projects": registry}), indent=2)
    write_text(paths.projects, text.decode() + "\n")
    return found


def _fresh(paths: Paths, key: str, taken: set[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", Path(key).name.lower()).strip("-")[:240] or "project"
    number = 0
    while True:
        short_id = f"{slug}-{number}" if number else slug
        if short_id not in taken and _mark(paths, short_id, key):
            return short_id
        number += 1


def _mark(paths: Paths, short_id: str, key: str) -> bool:
    """Puts our marker into both folders. False where one of them is another project's."""
    for base in _bases(paths):
        folder = base / short_id
        make_private(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            handle = os.open(folder / MARKER, flags, 0o600)
        except FileExistsError:
            owner = _owner(folder)
            if owner is None:
                _overwrite(folder / MARKER, key)
            elif owner != key:
                return False
            continue
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(key)
    return True


def _overwrite(marker: Path, key: str) -> None:
    """Fills in a marker that was cut off."""
    try:
        write_text(marker, key)
    except Unreadable as error:
        raise ConfigError(f"{marker} {error}. Delete it.") from error


def _marked(paths: Paths, short_id: str, key: str) -> bool:
    return all(_owner(base / short_id) == key for base in (paths.tmp_dir, paths.history_dir))


def _bases(paths: Paths) -> tuple[Path, Path]:
    return (paths.tmp_dir, paths.history_dir)


def _contradicted(paths: Paths, short_id: str, key: str) -> bool:
    owners = (_owner(base / short_id) for base in _bases(paths))
    return any(owner is not None and owner != key for owner in owners)


def _owned(paths: Paths, key: str) -> str | None:
    """A folder that is marked as ours, though the registry has forgotten it."""
    for base, other in (
        (paths.tmp_dir, paths.history_dir),
        (paths.history_dir, paths.tmp_dir),
    ):
        try:
            names = sorted(entry.name for entry in os.scandir(base) if entry.is_dir())
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in names:
            if _valid(name) and _owner(base / name) == key:
                owner = _owner(other / name)
                if owner is None or owner == key:
                    return name
    return None


def _owner(folder: Path) -> str | None:
    """The path in the folder's marker; None where there is none or it was cut off, "" for a
    marker that cannot be read."""
    try:
        text = read_text(folder / MARKER, limit=64 * 1024)
    except Unreadable:
        return ""
    return _folded(text.strip()) or None if text is not None else None


def _registry(path: Path) -> dict[str, str]:
    """The mapping in the registry. Damaged text counts as empty: the markers restore it."""
    text = read_text(path)
    try:
        value = parse(text) if text else {}
    except JsoncError:
        return {}
    projects = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {
        _folded(key): short_id
        for key, short_id in projects.items()
        if isinstance(short_id, str) and _valid(short_id)
    }


def _valid(short_id: str) -> bool:
    return re.fullmatch(r"[a-z0-9-]+", short_id) is not None


def _key(root: Path) -> str:
    return _folded(_text(root))


def _text(root: Path) -> str:
    """The path as text that JSON can hold, whatever bytes its names are made of."""
    path = os.path.normpath(from_here(root))
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _folded(path: str) -> str:
    return path.lower() if _WINDOWS else path


def _adopt_old(paths: Paths, root: Path, short_id: str) -> None:
    """Copies what an older layout kept under the path's hash; the old folder stays."""
    for base in (paths.tmp_dir, paths.history_dir):
        old, new = base / project_hash(root), base / short_id
        if not old.is_dir() or any(entry.name != MARKER for entry in os.scandir(new)):
            continue
        shutil.copytree(
            old, new, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(MARKER)
        )
