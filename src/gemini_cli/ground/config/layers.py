"""One settings file as a layer: its text, what it says, and what was wrong with it.

Reading never stops at the first broken file: every failure is kept as a value, so that all
of them can be told at once. A layer never shows its values in its repr.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.config.disk import Unreadable, read_text
from gemini_cli.ground.config.interpolate import fill, fill_text
from gemini_cli.ground.config.legacy import modern
from gemini_cli.ground.config.migrate import MISSING, get, pop, renamed
from gemini_cli.ground.config.tables import Settings, all_rows
from gemini_cli.ground.config.validate import Problem, check
from gemini_cli.ground.formats.jsonc import JsoncError, parse
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


class LayerKind(StrEnum):
    """Where values come from; a later one wins over an earlier one."""

    DEFAULT = "default"
    SYSTEM_DEFAULTS = "system defaults"
    USER = "user"
    WORKSPACE = "workspace"
    SYSTEM = "system"
    ADMIN = "admin"
    ENVIRONMENT = "environment"
    FLAG = "flag"

    @property
    def writable(self) -> bool:
        return self in (LayerKind.USER, LayerKind.WORKSPACE)


class Broken(Struct, frozen=True):
    """A file that cannot be used, and why."""

    path: Path
    reason: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line is not None else ""
        return f"{self.path}{place}: {self.reason}"


class Source(Struct, frozen=True):
    """A file as it stands on disk: text, and the plain JSON in it."""

    kind: LayerKind
    path: Path
    text: str | None
    raw: JsonObject

    def __repr__(self) -> str:
        return f"Source({self.kind!s}, {str(self.path)!r})"


class Layer(Struct, frozen=True):
    """What one source contributes, in today's names, references filled, every value checked."""

    kind: LayerKind
    path: Path | None
    values: JsonObject
    text: str | None = None
    problems: tuple[Problem, ...] = ()
    old_keys: tuple[str, ...] = ()
    """Old names that `migrate_files` would rewrite."""
    legacy_keys: tuple[str, ...] = ()
    """Names of the first versions, understood in memory only."""
    api_key: str | None = None
    extension_values: JsonObject = {}
    origins: Mapping[str, str] = {}
    """For the environment: key → variable."""

    def __repr__(self) -> str:
        return f"Layer({self.kind!s}, {str(self.path)!r})"

    def value(self, key: str) -> JsonValue:
        """What this layer says of the dotted `key`; None where it says nothing."""
        found = get(self.values, key)
        return None if found is MISSING else found

    def says(self, key: str) -> bool:
        return get(self.values, key) is not MISSING


def read_source(kind: LayerKind, path: Path) -> Source | Broken:
    """The file at `path`; an empty source where there is none."""
    try:
        text = read_text(path)
    except Unreadable as error:
        return Broken(path, str(error))
    if text is None:
        return Source(kind, path, None, {})
    try:
        raw = parse(text)
    except JsoncError as error:
        return Broken(path, error.reason, error.line, error.column)
    if not isinstance(raw, dict):
        return Broken(path, "the file must hold one object: { … }", 1, 1)
    return Source(kind, path, text, raw)


def layer_of(source: Source, env: Mapping[str, str]) -> Layer:
    """The layer a source gives when references are resolved against `env`.

    Old names are looked at after that, because what they hold may decide what they become;
    `old_keys` are those of the file as it is written, which `migrate_files` can rewrite.
    """
    if source.text is None:
        return Layer(source.kind, source.path, {})
    cloud_shell = env.get("CLOUD_SHELL") == "true"
    legacy = written = modern(source.raw)
    if "$" in source.text:
        legacy = modern(fill(source.raw, env))
    change = on_disk = renamed(legacy.values, cloud_shell=cloud_shell)
    if legacy is not written:
        on_disk = renamed(written.values, cloud_shell=cloud_shell)
    values = change.values
    values.pop("admin", None)
    values.pop("$schema", None)
    if source.kind is not LayerKind.USER:
        for key in _user_only():
            pop(values, key)
    kept, problems = check(Settings, values)
    for place in legacy.nameless:
        problems.append(Problem(place, "left out", "a server with a name", "one without"))
    return Layer(
        kind=source.kind,
        path=source.path,
        values=kept,
        text=source.text,
        problems=tuple(problems),
        old_keys=on_disk.old_keys,
        legacy_keys=written.keys,
        api_key=_filled(written.api_key, env),
        extension_values=legacy.extension_values,
    )


def _filled(secret: str | None, env: Mapping[str, str]) -> str | None:
    """The secret; None where it stands behind a reference to nothing."""
    found = fill_text(secret, env) if secret else None
    return None if found and "$" in found and found == secret else found


@cache
def _user_only() -> tuple[str, ...]:
    return tuple(row.key for row in all_rows() if row.setting.user_only)
