"""Draws the folder tree of the first message: breadth first, bounded, ignored folders folded.

It never follows links, never reads a file, and looks at no more of a huge folder than it can
show; names with control characters are made harmless.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeAlias
from unicodedata import combining, normalize

Ignored: TypeAlias = Callable[[str, bool], bool]
"""(absolute path, is a folder) → whether ignore rules hide it."""

MAX_ITEMS = 200
MAX_ENTRIES = 5_000
"""Entries of one folder that are looked at; beyond it the listing counts as cut."""
_MARKS_FIRST = {ord(mark): place for place, mark in enumerate("_-,;:!?.'\"()[]{}@*&#%`^+<=>|~$", 1)}
FOLDED = frozenset({"node_modules", ".git", "dist", "__pycache__"})


class _Folder:
    __slots__ = ("cut_files", "cut_folders", "files", "folders", "name", "opened", "path")

    def __init__(self, name: str, path: str, opened: bool = True) -> None:
        self.name = name
        self.path = path
        self.opened = opened
        """False for a folder that is only named."""
        self.files: list[str] = []
        self.folders: list[_Folder] = []
        self.cut_files = False
        self.cut_folders = False


def nothing_ignored(path: str, is_dir: bool) -> bool:
    """The predicate of a place without ignore rules."""
    return False


def folder_tree(root: str, ignored: Ignored = nothing_ignored, limit: int = MAX_ITEMS) -> str:
    """The tree of one root with its heading, or a sentence where it cannot be read."""
    top = _Folder("", root)
    entries = _entries(root)
    if entries is None:
        return f"The folder {printable(root)} cannot be read or does not exist."
    folded = _fill(top, ignored, limit)
    heading = f"Up to {limit} files and folders are shown."
    if folded:
        heading += " `...` stands for what was left out: ignored, or beyond that number."
    separator = "" if root.endswith(os.sep) else os.sep
    return "\n".join([heading, "", printable(root) + separator, *_lines(top, "")])


def printable(name: str) -> str:
    """The name with control characters replaced, so that it stays one line of data."""
    return name if name.isprintable() else "".join(c if c.isprintable() else "?" for c in name)


def _fill(top: _Folder, ignored: Ignored, limit: int) -> bool:
    """Reads folders level by level until `limit` items; whether anything was left out."""
    left, folded = limit, False
    queue = deque([top])
    while queue:
        folder = queue.popleft()
        if left <= 0:
            folder.cut_files = next(_scan(folder.path), None) is not None
            folded = folded or folder.cut_files
            continue
        files, folders, folder.cut_files = _entries(folder.path) or ([], [], False)
        inside = folder.path.rstrip(os.sep) + os.sep
        for name in files:
            if left <= 0:
                folder.cut_files = True
                break
            if not ignored(inside + name, False):
                folder.files.append(name)
                left -= 1
        for name in folders:
            if left <= 0:
                folder.cut_folders = True
                break
            path = inside + name
            child = _Folder(name, path, name not in FOLDED and not ignored(path, True))
            folder.folders.append(child)
            left -= 1
            if child.opened:
                queue.append(child)
            folded = folded or not child.opened
        folded = folded or folder.cut_files or folder.cut_folders
    return folded


def _entries(path: str) -> tuple[list[str], list[str], bool] | None:
    """Files and folders by name, links left out, and whether there are more than we look at."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(path) as found:
            for entry in islice(found, MAX_ENTRIES):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
            more = next(found, None) is not None
    except (OSError, ValueError):
        return None
    for names in (files, folders):
        names.sort()
        names.sort(key=_alphabetical)
    return files, folders, more


def _scan(path: str) -> Iterator[str]:
    try:
        with os.scandir(path) as found:
            yield from (entry.name for entry in found if not entry.is_symlink())
    except OSError:
        return


def _alphabetical(name: str) -> str:
    """The order of a dictionary: marks before digits before letters, accents aside."""
    plain = name.casefold()
    if not plain.isascii():
        plain = "".join(c for c in normalize("NFKD", plain) if not combining(c))
    return plain.translate(_MARKS_FIRST)


def _lines(folder: _Folder, indent: str) -> Iterator[str]:
    rows: list[tuple[str, _Folder | None]] = [(printable(name), None) for name in folder.files]
    if folder.cut_files:
        rows.append(("...", None))
    for child in folder.folders:
        label = f"{printable(child.name)}/" if child.opened else f"{printable(child.name)}/..."
        rows.append((label, child if child.opened else None))
    if folder.cut_folders:
        rows.append(("...", None))
    for number, (label, below) in enumerate(rows, 1):
        last = number == len(rows)
        yield f"{indent}{'└───' if last else '├───'}{label}"
        if below is not None:
            yield from _lines(below, indent + ("    " if last else "│   "))
