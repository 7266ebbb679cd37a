"""Finds the one `.env` file that counts and adds what it may add to the environment.

Variables the process already has always win. A folder that is not trusted can only supply
a few names, with their values stripped to harmless characters. What even a trusted project
may not say is in `env_guard`.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec import Struct

from gemini_cli.ground.config.disk import Unreadable, read_text
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.config.env_guard import (
    barred_warning,
    is_harmful,
    is_own,
    is_strangers,
    redirect_warning,
)
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.formats.dotenv import parse

UNTRUSTED_NAMES = (
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
)
NEVER_FROM_PROJECT = (
    "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
    "GEMINI_CLI_IDE_SERVER_STDIO_ARGS",
)
ALWAYS_EXCLUDED = ("DEBUG", "DEBUG_MODE")
CLOUD_SHELL_PROJECT = "cloudshell-gca"
_UNSAFE = re.compile(r"[^A-Za-z0-9._/-]")


class EnvFile(Struct, frozen=True):
    """What became of the search: the file, the names taken from it, the environment after."""

    env: Env
    path: Path | None = None
    names: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def load_env_file(
    env: Env,
    paths: Paths,
    *,
    trusted: bool,
    ignore_local: bool,
    excluded: Collection[str] = (),
    auth_type: str | None = None,
) -> EnvFile:
    """`env` with what the first `.env` from the working directory upwards adds to it."""
    found, text, warnings = _first(paths, trusted=trusted, ignore_local=ignore_local)
    foreign = found is not None and not is_own(found, paths)
    values: dict[str, str] = {}
    left_out: list[str] = []
    barred = _barred(found, excluded)
    for name, value in (parse(text) if text else {}).items():
        never = name in barred or (foreign and is_harmful(name))
        if never or (not trusted and name not in UNTRUSTED_NAMES):
            left_out.append(name)
        else:
            values[name] = value if trusted else _UNSAFE.sub("", value)
    added = {name: value for name, value in values.items() if name not in env}
    if found is not None and foreign and trusted:
        told = (barred_warning(found, left_out), redirect_warning(found, added))
        warnings += [warning for warning in told if warning]
    after = _cloud_shell(env, env.with_values(added), values, auth_type)
    return EnvFile(after, found, tuple(added), tuple(left_out), tuple(warnings))


def _barred(found: Path | None, excluded: Collection[str]) -> Collection[str]:
    """Names a project's own file may not set. A file inside `.gemini` may set anything."""
    if found is None or ".gemini" in found.parts:
        return ()
    return {*excluded, *ALWAYS_EXCLUDED, *NEVER_FROM_PROJECT}


def _first(
    paths: Paths, *, trusted: bool, ignore_local: bool
) -> tuple[Path | None, str | None, list[str]]:
    warnings: list[str] = []
    for path in _candidates(paths, trusted=trusted, ignore_local=ignore_local):
        try:
            text = read_text(path)
        except Unreadable as error:
            if path.is_dir():
                continue
            return path, None, [*warnings, f"{path} {error}; nothing was loaded from it."]
        if text is not None and is_strangers(path, paths):
            warnings.append(f"{path} belongs to another user; nothing was loaded from it.")
        elif text is not None:
            return path, text, warnings
    return None, None, warnings


def _candidates(paths: Paths, *, trusted: bool, ignore_local: bool) -> Iterator[Path]:
    for folder in (paths.cwd, *paths.cwd.parents):
        if trusted:
            yield folder / ".gemini" / ".env"
        if not ignore_local or folder == paths.home:
            yield folder / ".env"
    yield paths.user_env
    yield paths.home_env


def _cloud_shell(before: Env, after: Env, from_file: dict[str, str], auth_type: str | None) -> Env:
    """In Cloud Shell the project variable is the shell's own, not the user's."""
    if before.get("CLOUD_SHELL") != "true":
        return after
    users = before.get("_GEMINI_USER_GCP_PROJECT")
    if auth_type == "vertex-ai":
        return after.with_values({"GOOGLE_CLOUD_PROJECT": users}) if users else after
    saved = {}
    current = before.get("GOOGLE_CLOUD_PROJECT")
    if users is None and current and current != CLOUD_SHELL_PROJECT:
        saved["_GEMINI_USER_GCP_PROJECT"] = current
    project = from_file.get("GOOGLE_CLOUD_PROJECT") or CLOUD_SHELL_PROJECT
    return after.with_values({**saved, "GOOGLE_CLOUD_PROJECT": project})
