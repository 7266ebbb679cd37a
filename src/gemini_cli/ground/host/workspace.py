"""The folders a session may work in, and the check every path of a tool passes.

`resolve` turns what a model wrote into a real path inside the workspace or refuses it; the
caller must then use that path and no other. It reads the disk only to follow links.
"""

import errno
import os
import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

from gemini_cli.ground.host.guarded import guarded_part
from gemini_cli.ground.host.realpath import real_path
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem

MAX_PATH = 4096
MAX_PART = 255
SHORT_PATH = 20
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
LOG_LINE = re.compile(r"(?:^|[/\\])(?:AssertionError:|FAIL |✓ |× )")
# Three dots that are not a name of a route such as `[...slug]`.
ELLIPSIS = re.compile(r"(?<!\[)\.\.\.|\[\.\.\.(?!\w)")


class Special(msgspec.Struct, frozen=True):
    """Places outside the roots that a session uses: its temp folder and the user's memory file."""

    temp: Path
    memory_file: Path | None = None


class LocalWorkspace:
    """The `Workspace` port over the local disk."""

    def __init__(
        self,
        target: Path,
        special: Special,
        *,
        roots: Iterable[Path] = (),
        readable: Iterable[Path] = (),
        platform: str = sys.platform,
    ) -> None:
        self._platform = platform
        self._target = _real(target)
        self._temp = _real(special.temp)
        self._memory_file = _memory_file(special)
        self._roots: tuple[Path, ...] = (self._target,)
        self._readable: tuple[Path, ...] = ()
        for root in roots:
            self.add(root)
        for place in readable:
            self.add(place, read_only=True)

    @property
    def target(self) -> Path:
        """The folder relative paths are taken from."""
        return self._target

    @property
    def roots(self) -> tuple[Path, ...]:
        """All folders the session may change."""
        return self._roots

    @property
    def temp(self) -> Path:
        """The session's own folder for temporary files."""
        return self._temp

    def add(self, root: Path, *, read_only: bool = False) -> None:
        """Widens the workspace by a folder, or by a file or folder that may only be read."""
        absolute = self._target / root
        real = _real(absolute)
        if not real.is_dir() and not (read_only and real.exists()):
            raise ToolProblem(
                f"Cannot add {absolute} to the workspace: there is no such folder.",
                "search_path_not_a_directory" if real.exists() else "search_path_not_found",
            )
        if read_only and real not in self._readable:
            self._readable += (real,)
        elif not read_only and real not in self._roots:
            self._roots += (real,)

    def resolve(self, text: str, *, for_write: bool = False) -> Path:
        """The real path this text means, or `ToolProblem("path_not_in_workspace")`."""
        return self.check(self._absolute(text), for_write=for_write)

    def check(self, path: Path, *, for_write: bool = False) -> Path:
        """The same check for a path that is already one, such as an entry of a listing."""
        if not path.is_absolute():
            path = self._target / path
        try:
            real = real_path(str(path))
        except OSError as error:
            circle = "its symbolic links lead in a circle"
            reason = circle if error.errno == errno.ELOOP else f"of an error ({error.strerror})"
            raise self._refusal(path, reason) from error
        except ValueError as error:
            raise self._refusal(path, "it holds characters no file name can have") from error
        if len(str(real)) > MAX_PATH:
            raise self._refusal(path, f"it is longer than {MAX_PATH} characters")
        objection = self._objection(real, for_write)
        if objection is not None:
            raise self._refusal(path, objection)
        return real

    def shown(self, path: Path) -> str:
        """The path relative to the target folder where that is shorter to read."""
        try:
            return str(path.relative_to(self._target))
        except ValueError:
            return str(path)

    def _absolute(self, text: str) -> Path:
        given = text.replace("\0", "")
        if not given.strip():
            raise InvalidArgs("The path is empty; name a file or folder.")
        given = self._without_at(given)
        literal = self._target / given
        if not _exists(literal):
            given = _decoded(given)
            _must_be_sane(given)
        if CONTROLS.search(given):
            _insane(given, "it holds control characters")
        return self._target / given

    def _without_at(self, given: str) -> str:
        """People write `@path`; models copy it. A name that really begins with @ stays."""
        if not given.startswith("@") or len(given) == 1:
            return given
        first = re.split(r"[/\\]", given, maxsplit=1)[0]
        if any(_exists(self._target / name) for name in (given, first)):
            return given
        return given[1:]

    def _objection(self, real: Path, for_write: bool) -> str | None:
        """Why this real path is not allowed; None if it is."""
        if self._below(real, self._temp / "memory" / ".inbox") is not None:
            return "that folder is kept for reviewing automatic memory"
        if self._memory_file and self._same(real, self._memory_file):
            return None
        places = (*self._roots, self._temp, *(() if for_write else self._readable))
        guarded: str | None = None
        for place in places:
            below = self._below(real, place)
            if below is None:
                continue
            guarded = guarded_part(below)
            if guarded is None:
                return None
        if guarded is not None:
            return f"'{guarded}' is off limits for tools"
        return "it lies outside"

    def _below(self, real: Path, place: Path) -> tuple[str, ...] | None:
        """The parts of `real` below `place`; None if it is not inside."""
        inner, outer = self._comparable(real), self._comparable(place)
        if inner[: len(outer)] != outer:
            return None
        return real.parts[len(real.parts) - (len(inner) - len(outer)) :]

    def _same(self, one: Path, other: Path) -> bool:
        return self._comparable(one) == self._comparable(other)

    def _comparable(self, path: Path) -> tuple[str, ...]:
        if self._platform not in ("darwin", "win32"):
            return path.parts
        parts = tuple(_lenient(part, self._platform) for part in path.parts)
        private = self._platform == "darwin" and parts[1:2] == ("private",)
        if private and parts[2:3] and parts[2] in ("var", "tmp", "etc"):
            return (parts[0], *parts[2:])
        return parts

    def _refusal(self, path: Path, reason: str) -> ToolProblem:
        roots = ", ".join(str(root) for root in self._roots)
        return ToolProblem(
            f"Path not in workspace: {path} was refused because {reason}. Use a path inside "
            f"the workspace ({roots}) or the project's temp folder ({self._temp}).",
            "path_not_in_workspace",
        )


def _lenient(part: str, platform: str) -> str:
    if platform == "win32" and not part.endswith(("\\", "/")):
        part = part.split(":", 1)[0].rstrip(". ")
    return unicodedata.normalize("NFC", part).casefold()


def _real(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError(f"{path} does not say where it begins; a workspace needs absolute paths")
    return real_path(str(path))


def _memory_file(special: Special) -> Path | None:
    """None too where links lead in a circle: whoever reads the file tells that."""
    try:
        return _real(special.memory_file) if special.memory_file else None
    except OSError:
        return None


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def _decoded(given: str) -> str:
    """`file://` and percent signs undone, once; what does not decode stays as it is."""
    if given[:7].lower() == "file://":
        url = urlsplit(given)
        if url.netloc.lower() not in ("", "localhost"):
            _insane(given, "it names another machine")
        given = url.path or "/"
        if re.match(r"/[A-Za-z]:", given) and os.name == "nt":
            given = given[1:]
    if "%" not in given:
        return given
    try:
        return unquote_to_bytes(given).decode().replace("\0", "")
    except UnicodeDecodeError:
        return given


def _must_be_sane(given: str) -> None:
    """Refuses text that is a log line or a sentence rather than a path."""
    if len(given) > MAX_PATH:
        _insane(given, f"it is longer than {MAX_PATH} characters")
    if any(len(os.fsencode(part)) > MAX_PART for part in re.split(r"[/\\]", _encodable(given))):
        _insane(given, f"a part of it is longer than {MAX_PART} bytes")
    if LOG_LINE.search(given):
        _insane(given, "it looks like a line of a test log")
    if len(given) > SHORT_PATH and ('"' in given or ELLIPSIS.search(given)):
        _insane(given, "it holds quotes or an ellipsis")


def _encodable(given: str) -> str:
    try:
        os.fsencode(given)
    except UnicodeEncodeError:
        _insane(given, "it holds characters no file name can have")
    return given


def _insane(given: str, reason: str) -> NoReturn:
    shown = given if len(given) <= 120 else given[:117] + "..."
    raise InvalidArgs(f"{shown!r} is not a usable path: {reason}. Give the path of one file.")
