"""The approval mode of a session: how much happens without asking.

Told apart from settings: the mode is state of the session and may change while it runs.
"""

from enum import StrEnum


class Mode(StrEnum):
    """Values are those of the policy files; the command line spells `auto_edit`."""

    DEFAULT = "default"
    AUTO_EDIT = "autoEdit"
    YOLO = "yolo"
    PLAN = "plan"

    @classmethod
    def from_flag(cls, value: str) -> "Mode":
        """Reads the spelling of the command line and of settings."""
        return cls.AUTO_EDIT if value == "auto_edit" else cls(value)

    @property
    def flag(self) -> str:
        """The spelling of the command line."""
        return "auto_edit" if self is Mode.AUTO_EDIT else self.value
