"""Changes settings files: one key at a time, in the text as people wrote it.

Comments, order and references such as `$NAME` stay; what the program made of them never
reaches the disk. A file that cannot be parsed is never overwritten.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias, final

from msgspec import Struct

from gemini_cli.ground.config.disk import Unreadable, locked, read_text, write_text
from gemini_cli.ground.config.layers import LayerKind
from gemini_cli.ground.config.legacy import FLAT, INVERTED, container, modern
from gemini_cli.ground.config.load import Config
from gemini_cli.ground.config.migrate import MISSING, get, renamed
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.config.validate import check_key
from gemini_cli.ground.formats.jsonc import JsoncError, parse
from gemini_cli.ground.formats.jsonc_edit import delete_value, set_value
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


@final
class Removed:
    """Stands for the absence of a value in `save`."""


REMOVED: Final = Removed()

Key: TypeAlias = str | tuple[str, ...]
"""`ui.theme`, or a tuple where a name may hold a dot: `("mcpServers", "my.server")`."""


class Migrated(Struct, frozen=True):
    """A file whose old names were rewritten, or why they could not be."""

    path: Path
    old_keys: tuple[str, ...]
    problem: str | None = None


def save(paths: Paths, scope: LayerKind, changes: Mapping[Key, JsonValue | Removed]) -> Path:
    """Applies `changes` to the file of `scope` in one step and returns its path.

    Raises ConfigError where a value does not fit its key, the file is broken, or the disk
    refuses; the file is then as it was.
    """
    path = file_of(paths, scope)
    steps = [(_split(key), value) for key, value in changes.items()]
    steps = [(key, _fitting(key, value)) for key, value in steps]
    _edit(path, lambda text, raw: _apply(text, raw, steps, path), _mode(scope))
    return path


def file_of(paths: Paths, scope: LayerKind) -> Path:
    """The file behind a writable scope."""
    if scope is LayerKind.USER:
        return paths.user_settings
    if scope is LayerKind.WORKSPACE:
        return paths.workspace_settings
    raise ConfigError(f"Settings of the {scope} layer cannot be changed from here.")


def migrate_files(config: Config) -> tuple[Migrated, ...]:
    """Rewrites old names in the user's and the trusted workspace's file, and nothing else.

    A file that cannot be written is reported; it works all the same.
    """
    cloud_shell = config.env.get("CLOUD_SHELL") == "true"
    done = []
    for kind in (LayerKind.USER, LayerKind.WORKSPACE):
        layer = config.layer(kind)
        if layer is None or layer.path is None or not layer.old_keys:
            continue
        try:
            old = _rename(layer.path, _mode(kind), cloud_shell)
        except ConfigError as error:
            done.append(Migrated(layer.path, layer.old_keys, str(error)))
        else:
            done += [Migrated(layer.path, old)] if old else []
    return tuple(done)


def _rename(path: Path, mode: int, cloud_shell: bool) -> tuple[str, ...]:
    old: list[str] = []

    def change(text: str, raw: JsonObject) -> str:
        found = renamed(raw, cloud_shell=cloud_shell)
        old.extend(found.old_keys)
        return set_value(text, (), found.values) if found.old_keys else text

    _edit(path, change, mode)
    return tuple(old)


def _edit(path: Path, change: Callable[[str, JsonObject], str], mode: int) -> None:
    """Reads, changes and replaces the file while no other process may."""
    try:
        with locked(path):
            text = read_text(path)
            raw = parse(text) if text is not None and text.strip() else {}
            if not isinstance(raw, dict):
                raise ConfigError(f"{path}: the file must hold one object. Mend it first.")
            new = change(text or "{}\n", raw)
            if new != (text or "{}\n"):
                write_text(path, new, mode)
    except JsoncError as error:
        raise ConfigError(
            f"{path}:{error.line}:{error.column}: {error.reason}. Nothing was saved; mend it first."
        ) from error
    except Unreadable as error:
        raise ConfigError(f"{path} {error}. Nothing was saved.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{path} cannot be written: {reason}. Nothing was saved.") from error


def _apply(
    text: str,
    raw: JsonObject,
    steps: Iterable[tuple[tuple[str, ...], JsonValue | Removed]],
    path: Path,
) -> str:
    for key, value in steps:
        text = _modernised(text, raw, key[0], path)
        dotted = ".".join(key)
        for old in (o for o, new in (*FLAT.items(), *INVERTED.items()) if new == dotted):
            text = delete_value(text, tuple(old.split(".")))
        text = _unset(text, key) if isinstance(value, Removed) else set_value(text, key, value)
    return text


def _unset(text: str, key: tuple[str, ...]) -> str:
    """Takes the key out; where an old name still speaks for it, the file gets today's names."""
    text = delete_value(text, key)
    raw = parse(text)
    today = renamed(modern(raw).values).values
    if get(today, ".".join(key)) is MISSING:
        return text
    # These have no place in today's settings, so they stay where they are.
    kept = {name: raw[name] for name in ("apiKey", "extensions") if name in raw}
    return delete_value(set_value(text, (), today | kept), key)


def _modernised(text: str, raw: JsonObject, name: str, path: Path) -> str:
    """Gives a key that held a plain value in the first versions its object of today."""
    old = raw.get(name)
    new = container(name, old)
    if new is old:
        return text
    lost = [
        entry
        for entry in (old if isinstance(old, list) else [])
        if not isinstance(entry, dict) or "config" in entry or "name" not in entry
    ]
    if lost:
        raise ConfigError(
            f"{path}: {name} is a list in an old form that holds more than can be moved. "
            f"Write it as an object first. Nothing was saved."
        )
    raw[name] = new
    return set_value(text, (name,), new)


def _fitting(key: tuple[str, ...], value: JsonValue | Removed) -> JsonValue | Removed:
    """The value in the type its key wants, such as a number for its digits."""
    if isinstance(value, Removed):
        return value
    if key[0] == "admin":
        raise ConfigError(
            f"{'.'.join(key)} is set by an organisation's service; files have no say in it. "
            "Nothing was saved."
        )
    fitting, problems = check_key(Settings, key, value)
    if problems:
        raise ConfigError(f"{problems[0]}. Nothing was saved.")
    return fitting


def _mode(scope: LayerKind) -> int:
    """A new file of the user's is private; one in a project is shared with its readers."""
    return 0o600 if scope is LayerKind.USER else 0o644


def _split(key: Key) -> tuple[str, ...]:
    parts = tuple(key.split(".")) if isinstance(key, str) else key
    if not parts or not all(parts):
        raise ConfigError(f"{key!r} is not the name of a setting.")
    return parts
