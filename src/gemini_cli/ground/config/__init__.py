"""Settings, environment, trust and paths, read once and frozen.

This door loads each name when it is first used: `Env` and `Paths` must not cost a reader
of transcripts the settings tables. It never reads a file by being imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemini_cli.ground.config.env import Env, process_cwd, process_home, state_home
    from gemini_cli.ground.config.paths import Paths

_HOMES = {
    "Env": "env",
    "process_cwd": "env",
    "process_home": "env",
    "state_home": "env",
    "Paths": "paths",
}

__all__ = ["Env", "Paths", "process_cwd", "process_home", "state_home"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"{__name__} has no {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
