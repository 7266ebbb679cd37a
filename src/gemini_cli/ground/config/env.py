"""The only reader of the process environment, the home directory and the working directory.

`Env` is a frozen set of variables that rooms are handed; tests build one from a dict. It
never changes the process's own variables and its repr never shows a value.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import final

from gemini_cli.protocol.errors import ConfigError

_WINDOWS = sys.platform == "win32"


@final
class Env(Mapping[str, str]):
    """Variables as they were at one moment. Names ignore case on Windows."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = {_name(k): v for k, v in (values or {}).items()}

    @classmethod
    def from_process(cls) -> "Env":
        """A snapshot of this process's variables."""
        return cls(os.environ)

    def __getitem__(self, name: str) -> str:
        return self._values[_name(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _name(name) in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"Env({len(self)} variables)"

    def text(self, name: str) -> str | None:
        """The value, or None where it is unset or empty."""
        return self._values.get(_name(name)) or None

    def flag(self, name: str) -> bool:
        """True for `true` and `1` only."""
        return self._values.get(_name(name), "").strip().lower() in ("true", "1")

    def choice(self, name: str) -> bool | None:
        """True or false where the variable says `true` or `false`, else None."""
        return {"true": True, "false": False}.get(self._values.get(_name(name), "").strip().lower())

    def integer(self, name: str) -> int | None:
        """A whole number, or None where there is none."""
        value = self._values.get(_name(name), "").strip()
        return int(value) if value.lstrip("+-").isascii() and value.lstrip("+-").isdigit() else None

    def path_list(self, name: str) -> tuple[str, ...]:
        """A list parted by the platform's path separator; empty entries are dropped."""
        return tuple(p for p in self._values.get(_name(name), "").split(os.pathsep) if p)

    def with_values(self, extra: Mapping[str, str]) -> "Env":
        """A copy in which `extra` replaces what was there."""
        return Env({**self._values, **{_name(k): v for k, v in extra.items()}}) if extra else self

    def as_dict(self) -> dict[str, str]:
        """A plain copy, for starting a child."""
        return dict(self._values)


def process_cwd() -> Path:
    """The directory this process stands in."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise ConfigError(
            "The current directory no longer exists. Change to another directory and start again."
        ) from error


def from_here(path: str | Path) -> Path:
    """The path as it is given; one that is relative begins where this process stands."""
    path = Path(path)
    return path if path.is_absolute() else process_cwd() / path


def process_home() -> Path:
    """The user's own home directory, whatever GEMINI_CLI_HOME says."""
    try:
        return Path.home()
    except RuntimeError as error:
        raise ConfigError(
            "The home directory cannot be found. Set HOME or GEMINI_CLI_HOME to a directory."
        ) from error


def state_home(env: Mapping[str, str], cwd: Path, home: Path | None = None) -> Path:
    """The directory that holds `.gemini`: GEMINI_CLI_HOME, else the user's home."""
    moved = env.get("GEMINI_CLI_HOME")
    if moved:
        return Path(os.path.normpath(from_here(cwd) / moved))
    return from_here(cwd) / (home if home is not None else process_home())


def as_text(value: str) -> str:
    """The value without bytes that were no text where it came from; paths may keep theirs."""
    return value.encode("utf-8", "replace").decode()


def _name(name: str) -> str:
    return name.upper() if _WINDOWS else name
