"""Whether a folder is trusted: the rules people made, the environment, the editor, a switch.

Rules are read from one file and compared on real paths; of those that match, the one with
the longest key decides. It asks nobody and writes nothing: an unknown folder is reported
as unknown.
"""

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.config.disk import Unreadable, read_text
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.formats.jsonc import JsoncError, parse, printable
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.jsonvalue import JsonValue

_CASELESS = sys.platform in ("darwin", "win32")


class TrustLevel(StrEnum):
    """What a rule says of its folder."""

    FOLDER = "TRUST_FOLDER"
    PARENT = "TRUST_PARENT"
    NEVER = "DO_NOT_TRUST"


class TrustSource(StrEnum):
    """Who decided."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    SETTING = "setting"
    EDITOR = "editor"
    RULE = "rule"
    NOBODY = "nobody"


class Trust(Struct, frozen=True):
    """The decision for one folder. Unknown is not trusted."""

    trusted: bool
    source: TrustSource
    rule: str | None = None
    level: TrustLevel | None = None

    @property
    def unknown(self) -> bool:
        """Nobody has decided yet, so a person may be asked."""
        return self.source is TrustSource.NOBODY


def decide(
    folder: Path,
    rules: Mapping[str, TrustLevel],
    env: Env,
    *,
    enabled: bool = True,
    skip: bool = False,
    editor: bool | None = None,
) -> Trust:
    """The decision for `folder`, by the first of flag, environment, setting, editor, rules."""
    forced = env.choice("GEMINI_CLI_TRUST_WORKSPACE")
    if skip:
        return Trust(True, TrustSource.FLAG)
    if forced is not None:
        return Trust(forced, TrustSource.ENVIRONMENT)
    if not enabled:
        return Trust(True, TrustSource.SETTING)
    if editor is not None:
        return Trust(editor, TrustSource.EDITOR)
    key = matching(folder, rules)
    if key is None:
        return Trust(False, TrustSource.NOBODY)
    return Trust(rules[key] is not TrustLevel.NEVER, TrustSource.RULE, key, rules[key])


def matching(folder: Path, rules: Mapping[str, TrustLevel]) -> str | None:
    """The longest key whose folder (or its parent, for TRUST_PARENT) holds `folder`."""
    real = real_path(str(folder))
    best: str | None = None
    for key, level in rules.items():
        if not Path(key).is_absolute() or (best is not None and len(key) <= len(best)):
            continue
        top = real_path(key)
        if level is TrustLevel.PARENT:
            top = top.rpartition(os.sep)[0]
        if real == top or real.startswith(top.rstrip(os.sep) + os.sep):
            best = key
    return best


def read_rules(path: Path) -> dict[str, TrustLevel]:
    """The rules in the file; none where there is no file. Raises ConfigError."""
    try:
        text = read_text(path)
    except Unreadable as error:
        raise ConfigError(f"{path} {error}. Mend or delete it.") from error
    if text is None:
        return {}
    try:
        return _rules(parse(text), path)
    except JsoncError as error:
        raise ConfigError(
            f"{path}:{error.line}:{error.column}: {error.reason}. Mend or delete the file."
        ) from error


def _rules(value: JsonValue, path: Path) -> dict[str, TrustLevel]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return dict.fromkeys(value, TrustLevel.FOLDER)
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected an object of folders and levels. Mend or delete it.")
    levels = ", ".join(TrustLevel)
    for key, level in value.items():
        if level not in list(TrustLevel):
            raise ConfigError(f'{path}: the level of "{printable(key)}" must be one of {levels}.')
    return {key: TrustLevel(level) for key, level in value.items()}


def real_path(folder: str) -> str:
    """The folder as rules compare it: links resolved, lower case where case does not count.

    A name no folder can have stays as it is, so that one odd rule costs no other.
    """
    real = folder if "\0" in folder else os.path.realpath(folder)
    return real.lower() if _CASELESS else real
