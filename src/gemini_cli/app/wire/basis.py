"""What every wire file builds from: the settings, the wishes of this run, and the clock."""

import msgspec

from gemini_cli.app.launch import Launch
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.config.load import Config
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.config.project import claim
from gemini_cli.ground.config.tables import Settings
from gemini_cli.protocol.host import Clock


class Project:
    """This project's place among all projects, claimed when it is first asked for."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._short_id = ""

    @property
    def short_id(self) -> str:
        """Names the project's folder for state. Raises `ConfigError` where none can be had."""
        if not self._short_id:
            self._short_id = claim(self._paths, self._paths.cwd)
        return self._short_id


class Basis(msgspec.Struct, frozen=True):
    """Read once, never changed."""

    config: Config
    launch: Launch
    clock: Clock
    project: Project

    @property
    def short_id(self) -> str:
        """The name of this project's folder for state; asking for it may write."""
        return self.project.short_id

    @property
    def settings(self) -> Settings:
        """The merged settings."""
        return self.config.settings

    @property
    def env(self) -> Env:
        """The environment after `.env`."""
        return self.config.env

    @property
    def paths(self) -> Paths:
        """Where files live."""
        return self.config.paths
