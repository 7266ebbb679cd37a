"""Homes, project names and session ids: where other programs keep what we read.

Everything is computed from values handed in. An id from a caller is compared with names that
were found, never joined into a path before it is known to be a plain name.
"""

import hashlib
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gemini_cli.ground.config.env import Env, from_here, process_home
from gemini_cli.protocol.errors import ConfigError

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def environment(env: Mapping[str, str] | None) -> Mapping[str, str]:
    """The given environment, else the process's own."""
    return Env.from_process() if env is None else env


def home_of(env: Mapping[str, str]) -> Path:
    """The user's home; where there is none at all, the folder for temporary files."""
    named = env.get("USERPROFILE" if sys.platform == "win32" else "HOME") or env.get("HOME")
    if named:
        return Path(named)
    try:
        return process_home() if isinstance(env, Env) else _temporary(env)
    except ConfigError:
        return _temporary(env)


def _temporary(env: Mapping[str, str]) -> Path:
    named = next((env[key] for key in ("TMPDIR", "TEMP", "TMP") if env.get(key)), "/tmp")
    return Path(named)


def under_home(env: Mapping[str, str], variable: str, *default: str) -> Path:
    """The folder a variable names, else one under the home."""
    named = env.get(variable)
    return expand(named, env) if named else home_of(env).joinpath(*default)


def expand(text: str, env: Mapping[str, str]) -> Path:
    """A leading `~` is the home of `env`."""
    if text == "~" or text.startswith(("~/", "~\\")):
        return home_of(env) / text[2:]
    return Path(text)


def plain_id(session_id: object) -> bool:
    """Whether an id is one plain file name and nothing that could leave a folder."""
    if not isinstance(session_id, str) or not 0 < len(session_id) <= 200:
        return False
    if session_id in (".", "..") or session_id.strip() != session_id:
        return False
    return not any(
        c in '/\\:*?"<>|' or ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in session_id
    )


def project_roots(project_path: str) -> list[str]:
    """The path as given (made absolute) and with its links resolved; never a trailing slash."""
    absolute = os.path.normpath(from_here(project_path))
    try:
        return list(dict.fromkeys([absolute, os.path.realpath(absolute)]))
    except (OSError, ValueError):  # a name no file system has
        return []


def same_project(one: str | None, roots: Iterable[str]) -> bool:
    """Whether a recorded working directory is one of the wanted roots."""
    if not one:
        return False
    plain = one.rstrip("/\\") or one
    return any(_fold(plain) == _fold(root) for root in roots)


def _fold(path: str) -> str:
    path = unicodedata.normalize("NFC", path)
    return path.lower() if sys.platform == "win32" else path


def children(folder: Path) -> list[Path]:
    """The entries of a folder by name; none when it is absent or closed to us."""
    try:
        return sorted(folder.iterdir())
    except (OSError, ValueError):
        return []


def is_folder(path: Path) -> bool:
    """Whether there is a folder; one that we may not look at is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether there is a regular file; one that we may not look at is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def walk(folder: Path, depth: int = 8) -> Iterator[Path]:
    """Every file below a folder, newest names first. Links are followed, each folder once."""
    yield from _walk(folder, depth, set())


def _walk(folder: Path, depth: int, seen: set[str]) -> Iterator[Path]:
    real = os.path.realpath(folder)
    if real in seen or depth < 0:
        return
    seen.add(real)
    for entry in reversed(children(folder)):
        if is_folder(entry):
            yield from _walk(entry, depth - 1, seen)
        else:
            yield entry


def head_of(path: Path, limit: int = 64 * 1024) -> bytes | None:
    """The beginning of a regular file; None when there is none. A pipe would never end."""
    try:
        if not is_file(path):
            return None
        with path.open("rb") as stream:
            return stream.read(limit)
    except OSError:
        return None


def mtime_ms(path: Path) -> int:
    """When a file was last written; 0 when it is gone."""
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def size_of(path: Path) -> int:
    """The size of a file; 0 when it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def numbered(name: str, at: int) -> str:
    """The id of the call of this number that one request came to; the first keeps its own."""
    return f"{name}:{at}" if at else name


def derived_id(session_id: str | None, line: int | str) -> str:
    """A name for a message that has none: the same for the same place in the same session."""
    seed = f"{session_id or ''}\0{line}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.blake2b(seed, digest_size=8).digest(), "big")
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return f"msg_{digits or '0'}"
