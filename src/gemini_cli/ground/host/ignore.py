"""Says which files of a tree are to be left alone: git's rules, `.geminiignore`, own files.

Later sources win: `.git/info/exclude`, each `.gitignore` from the repository down,
`.geminiignore`, custom files (the first listed strongest). Below an ignored folder nothing is
looked at again. Files are read once per object; global git settings are not read.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from gemini_cli.ground.host.gitignore import MAX_BYTES, PatternList
from gemini_cli.ground.host.ordinary import ordinary
from gemini_cli.ground.host.realpath import real_path
from gemini_cli.ground.host.repository import common_folder, find_repository

NOTHING = PatternList(b"")


class IgnoreRules:
    """The rules for one workspace root. Paths outside it are never ignored."""

    def __init__(
        self,
        root: Path,
        *,
        git: bool = True,
        gemini: bool = True,
        custom: Iterable[Path] = (),
    ) -> None:
        self._root = root
        self._repository = find_repository(root) if git else None
        self._exclude = NOTHING
        if self._repository is not None:
            folder = common_folder(self._repository)
            self._exclude = _read(folder / "info" / "exclude", follow=True)
        files = [root / file for file in custom] + ([root / ".geminiignore"] if gemini else [])
        # Strongest first.
        self._own = tuple(rules for file in files if (rules := _read(file, follow=True)))
        self._above = self._below_repository()
        self._prefix = os.path.join(os.fspath(root), "")  # noqa: PTH118  (keeps the end slash)
        self._gitignores: dict[str, PatternList] = {}
        self._chains: dict[str, tuple[tuple[int, PatternList], ...]] = {}
        self._folders: dict[str, bool] = {"": False}

    def _below_repository(self) -> str:
        """The root as seen from the repository, with a slash at its end; often empty."""
        if self._repository is None or self._repository == self._root:
            return ""
        return self._root.relative_to(self._repository).as_posix() + "/"

    def ignores(self, path: Path, *, is_dir: bool) -> bool:
        """Whether the rules cover this path, by its name alone."""
        text = os.fspath(path)
        if not text.startswith(self._prefix):
            return False
        inner = text[len(self._prefix) :]
        return self._covers(inner.replace(os.sep, "/") if os.sep != "/" else inner, is_dir)

    def ignores_entry(self, path: Path) -> bool:
        """The same with a look at the disk: a link counts as what it leads to.

        A link that leads out of the root, in a circle or nowhere is ignored.
        """
        try:
            mode = path.lstat().st_mode
        except OSError:
            return self.ignores(path, is_dir=False)
        if not stat.S_ISLNK(mode):
            return self.ignores(path, is_dir=stat.S_ISDIR(mode))
        if self.ignores(path, is_dir=False):
            return True
        try:
            target = real_path(str(path))
            found = target.stat()
            home = real_path(str(self._root))
        except OSError:
            return True
        if not target.is_relative_to(home):
            return True
        here = self._root / target.relative_to(home)
        return self.ignores(here, is_dir=stat.S_ISDIR(found.st_mode))

    def _covers(self, inner: str, is_dir: bool) -> bool:
        parent, _, name = inner.rpartition("/")
        if name == ".git" or self._folder_covered(parent):
            return True
        return self._decide(inner, parent, is_dir)

    def _folder_covered(self, inner: str) -> bool:
        known = self._folders.get(inner)
        if known is None:
            known = self._folders[inner] = self._covers(inner, True)
        return known

    def _decide(self, inner: str, parent: str, is_dir: bool) -> bool:
        chain = self._chains.get(parent)
        if chain is None:
            chain = self._chains[parent] = tuple(self._chain(parent))
        if not chain:
            return False
        full = os.fsencode(self._above + inner)
        for start, rules in chain:
            decision = rules.decide(full[start:], is_dir=is_dir)
            if decision is not None:
                return decision
        return False

    def _chain(self, parent: str) -> Iterator[tuple[int, PatternList]]:
        """The files that speak about names in `parent`, strongest first.

        With each goes where the part of the path begins that its patterns are about.
        """
        for rules in self._own:
            yield len(os.fsencode(self._above)), rules
        if self._repository is None:
            return
        folder = (self._above + parent).rstrip("/")
        while folder:
            if rules := self._gitignore(folder):
                yield len(os.fsencode(folder)) + 1, rules
            folder = folder.rpartition("/")[0]
        for rules in (self._gitignore(""), self._exclude):
            if rules:
                yield 0, rules

    def _gitignore(self, folder: str) -> PatternList:
        found = self._gitignores.get(folder)
        if found is None:
            assert self._repository is not None
            found = _read(self._repository / folder / ".gitignore", follow=False)
            self._gitignores[folder] = found
        return found


def _read(path: Path, *, follow: bool) -> PatternList:
    """Like git, a `.gitignore` that is a link is not followed; what cannot be read is empty."""
    try:
        with ordinary(path, follow=follow) as file:
            return PatternList(file.read(MAX_BYTES))
    except (OSError, ValueError):
        return NOTHING
