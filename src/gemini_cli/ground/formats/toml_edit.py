"""Reads and writes TOML files that people also edit.

Errors name the file, line and column. Writing replaces the file in one step; comments are
lost, so it is only for files we generate. It refuses files too large to be meant.
"""

import contextlib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

MAX_BYTES = 4 << 20
# Reading takes the square of the number of parts, or worse.
LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)
POSITION = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")


def parse(text: str, path: Path) -> JsonObject:
    """The table in `text`; `path` is only for the message."""
    if LONG_KEY.search(text):
        raise ConfigError(f"{path} holds a key of more than 100 parts. Shorten it.")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = POSITION.search(str(error))
        said = POSITION.sub("", str(error)).strip()
        place = f"line {found[1]}, column {found[2]}" if found and found[1] else "its end"
        raise ConfigError(
            f"{path} is not valid TOML at {place}: {said}. Mend that line."
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} holds a number with too many digits. Shorten it.") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply to be read. Flatten it.") from error


def read(path: Path) -> JsonObject:
    """The table in a file; an empty one if the file does not exist."""
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigError(f"{path} is not a regular file. Put a TOML file there.")
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"Cannot read {path}: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES >> 20} MiB. Make it smaller.")
    try:
        return parse(data.decode(), path)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error


def write(path: Path, table: Mapping[str, JsonValue]) -> None:
    """Replaces the file in one step, keeping its mode; makes missing folders."""
    try:
        data = tomli_w.dumps(_without_null(table)).encode()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"Cannot write {path}: {error}.") from error
    path = path.resolve()
    fresh = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_bytes(data)
            with contextlib.suppress(FileNotFoundError):
                fresh.chmod(stat.S_IMODE(path.stat().st_mode))
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"Cannot write {path}: {error.strerror}.") from error


def _without_null(value: JsonValue) -> JsonValue:
    """TOML has no null; a key without a value is left out."""
    if isinstance(value, Mapping):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_null(item) for item in value if item is not None]
    return value
