"""What every wire file builds from: the settings, the wishes of this run, and the clock."""

import msgspec

from gemini_cli.app.launch import Launch
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.config.load import Config
from gemini_cli.ground.config.paths import Paths
from gemini_cli.ground.config.tables import Settings
from gemini_cli.protocol.host import Clock


class Basis(msgspec.Struct, frozen=True):
    """Read once, never changed. `short_id` names this project's folder for state."""

    config: Config
    launch: Launch
    clock: Clock
    short_id: str

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
