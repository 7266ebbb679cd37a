"""A temporary machine: a home, a project, a system directory, and a load of its settings."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gemini_cli.ground.config import Config, Env, Paths
from gemini_cli.ground.config.load import load


class Machine:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.cwd = root / "work" / "project"
        self.system = root / "etc"
        for folder in (self.home / ".gemini", self.cwd / ".gemini", self.system):
            folder.mkdir(parents=True)
        self.vars = {
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(self.system / "settings.json"),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    @property
    def user(self) -> Path:
        return self.home / ".gemini" / "settings.json"

    @property
    def workspace(self) -> Path:
        return self.cwd / ".gemini" / "settings.json"

    @property
    def paths(self) -> Paths:
        return Paths.of(self.vars, self.cwd, self.home)

    def write(self, **layers: object) -> None:
        """user=…, workspace=…, system=…, defaults=…: a dict, or the text itself."""
        files = {
            "user": self.user,
            "workspace": self.workspace,
            "system": self.system / "settings.json",
            "defaults": self.system / "system-defaults.json",
        }
        for name, value in layers.items():
            files[name].write_text(value if isinstance(value, str) else json.dumps(value))

    def load(self, env: Mapping[str, str] | None = None, **options: Any) -> Config:
        return load(Env({**self.vars, **(env or {})}), self.cwd, self.home, **options)

    def untrusted(self) -> "Machine":
        self.vars["GEMINI_CLI_TRUST_WORKSPACE"] = "false"
        return self
