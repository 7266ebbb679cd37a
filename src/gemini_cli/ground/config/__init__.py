"""Settings, environment, trust and paths, read once and frozen.

This door loads each name when it is first used: `Env` and `Paths` must not cost a reader
of transcripts the settings tables. It never reads a file by being imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gemini_cli.ground.config.env import Env, process_cwd, process_home, state_home
    from gemini_cli.ground.config.envfile import EnvFile
    from gemini_cli.ground.config.layers import Layer, LayerKind
    from gemini_cli.ground.config.load import Config, Origin
    from gemini_cli.ground.config.paths import Paths
    from gemini_cli.ground.config.project import claim, lookup, project_hash
    from gemini_cli.ground.config.schema import json_schema
    from gemini_cli.ground.config.tables import Row, Settings, all_rows
    from gemini_cli.ground.config.trust import Trust, TrustLevel, TrustSource, decide, read_rules
    from gemini_cli.ground.config.trust_edit import write_rule
    from gemini_cli.ground.config.write import REMOVED, Migrated, file_of, migrate_files, save

_HOMES = {
    "env": ("Env", "process_cwd", "process_home", "state_home"),
    "envfile": ("EnvFile",),
    "layers": ("Layer", "LayerKind"),
    "load": ("Config", "Origin"),
    "paths": ("Paths",),
    "project": ("claim", "lookup", "project_hash"),
    "schema": ("json_schema",),
    "tables": ("Row", "Settings", "all_rows"),
    "trust": ("Trust", "TrustLevel", "TrustSource", "decide", "read_rules"),
    "trust_edit": ("write_rule",),
    "write": ("REMOVED", "Migrated", "file_of", "migrate_files", "save"),
}

__all__ = [
    "REMOVED",
    "Config",
    "Env",
    "EnvFile",
    "Layer",
    "LayerKind",
    "Migrated",
    "Origin",
    "Paths",
    "Row",
    "Settings",
    "Trust",
    "TrustLevel",
    "TrustSource",
    "all_rows",
    "claim",
    "decide",
    "file_of",
    "json_schema",
    "lookup",
    "migrate_files",
    "process_cwd",
    "process_home",
    "project_hash",
    "read_rules",
    "save",
    "state_home",
    "write_rule",
]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"{__name__} has no {name!r}")
