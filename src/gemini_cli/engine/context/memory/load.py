"""Finds and reads the context files people keep for the model: GEMINI.md and its kin.

Global files stand in the global directory; project files in each root and the folders above
it, up to the one with a boundary marker. It reads regular files only and at most a megabyte
of each; `@imports` and files below a root are not its business.
"""

import contextlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from gemini_cli.ground.host.ordinary import NotOrdinary, ordinary

Tier: TypeAlias = Literal["global", "extension", "project"]

USUAL_NAME = "GEMINI.md"
SHARED_NAME = "AGENTS.md"
MAX_BYTES = 1024 * 1024


class ContextFile(Struct, frozen=True):
    """One file that was loaded."""

    path: Path
    tier: Tier
    text: str
    identity: tuple[int, int]
    """Device and inode, so that the same file is never loaded under two names."""


class Memory(Struct, frozen=True):
    """All context files of a session, in the order the model reads them."""

    files: tuple[ContextFile, ...] = ()
    warnings: tuple[str, ...] = ()

    def text(self, tier: Tier) -> str:
        """The files of one tier between their marker lines."""
        return "\n\n".join(
            f"--- Context from: {file.path} ---\n{file.text}\n"
            f"--- End of Context from: {file.path} ---"
            for file in self.files
            if file.tier == tier
        )


def file_names(configured: Sequence[str] = ()) -> tuple[str, ...]:
    """The names looked for, in order; the first is the one to write to."""
    return tuple(dict.fromkeys([*configured, USUAL_NAME, SHARED_NAME]))


def load_memory(
    *,
    global_dir: Path,
    roots: Iterable[Path] = (),
    names: Sequence[str] = (),
    markers: Sequence[str] = (".git",),
    extension_files: Iterable[Path] = (),
    trusted: bool = True,
) -> Memory:
    """Reads every tier. In a folder that is not trusted only the global tier counts."""
    reader = _Reader(file_names(names))
    reader.folder(global_dir, "global")
    if trusted:
        for path in extension_files:
            reader.file(path, "extension")
        roots = tuple(roots)
        folders = {f for root in roots for f in _up_to_marker(root, markers)}
        owners = _owners(roots)
        for folder in sorted(folders - {global_dir}, key=lambda f: (len(f.parts), str(f))):
            reader.folder(folder, "project", None if folder in roots else owners)
    return Memory(tuple(reader.files), tuple(reader.warnings))


def _up_to_marker(root: Path, markers: Sequence[str]) -> Iterator[Path]:
    """The root and what lies above it, up to the marker; only the root where there is none."""
    seen: list[Path] = []
    for folder in (root, *root.parents):
        seen.append(folder)
        if any(marker and os.path.lexists(folder / marker) for marker in markers):
            return iter(seen)
    return iter((root,))


def _stray(path: Path) -> Path | None:
    """Where a link of a project leads, if that is outside and does not look like words for a model:
    whoever made the project could otherwise have a key or a diary sent out."""
    target = Path(os.path.realpath(path))
    inside = target.is_relative_to(os.path.realpath(path.parent))
    return None if inside or target.suffix.lower() in (".md", ".mdc", ".txt") else target


def _owners(roots: Iterable[Path]) -> frozenset[int]:
    """Whose files above a root count: the system's, ours, and those of whoever owns the root."""
    found = {0, os.geteuid() if hasattr(os, "geteuid") else 0}
    for root in roots:
        with contextlib.suppress(OSError):
            found.add(root.stat().st_uid)
    return frozenset(found)


class _Reader:
    """Collects files, each once."""

    def __init__(self, names: Sequence[str]) -> None:
        self.files: list[ContextFile] = []
        self.warnings: list[str] = []
        self._names: list[str] = []
        self._known: set[tuple[int, int]] = set()
        for name in names:
            if not name or Path(name).is_absolute() or ".." in Path(name).parts:
                self.warnings.append(
                    f"context.fileName: {name!r} must be a name inside the folder; it is skipped."
                )
            else:
                self._names.append(name)

    def folder(self, folder: Path, tier: Tier, owners: Collection[int] | None = None) -> None:
        """Loads what one folder holds; two names with the same words count once. With `owners`,
        only files of these users."""
        texts: set[str] = set()
        for name in self._names:
            found = self._read(folder / name, tier, owners)
            if found and found.text not in texts:
                texts.add(found.text)
                self.files.append(found)

    def file(self, path: Path, tier: Tier) -> None:
        """Loads one named file."""
        found = self._read(path, tier)
        if found:
            self.files.append(found)

    def _read(
        self, path: Path, tier: Tier, owners: Collection[int] | None = None
    ) -> ContextFile | None:
        try:
            known = path.stat()
            if not stat.S_ISREG(known.st_mode) or (known.st_dev, known.st_ino) in self._known:
                return None
            if owners is not None and known.st_uid not in owners:
                self.warnings.append(f"{path} belongs to another user and is skipped.")
                return None
            if tier == "project" and (target := _stray(path)) is not None:
                self.warnings.append(
                    f"{path} leads to {target}, outside of this folder, and is no Markdown "
                    "or text file; it is skipped, because its words would go to the model."
                )
                return None
            with ordinary(path) as stream:
                data = stream.read(MAX_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError, NotOrdinary):
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.warnings.append(f"{path} cannot be read and is skipped: {reason}.")
            return None
        if len(data) > MAX_BYTES:
            self.warnings.append(f"{path} is larger than 1 MiB; only the beginning is used.")
        self._known.add((known.st_dev, known.st_ino))
        text = data[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff").strip()
        return ContextFile(path, tier, text, (known.st_dev, known.st_ino)) if text else None
