"""Settles the approval mode a session starts in, from the flag, the settings and trust.

It only decides; switching later is the session's business.
"""

from gemini_cli.ground.config.load import Config
from gemini_cli.ground.config.tables import Settings
from gemini_cli.protocol.errors import ConfigError
from gemini_cli.protocol.mode import Mode


def start_mode(wanted: str | None, config: Config) -> tuple[Mode, str]:
    """The mode and a warning, empty where there is nothing to warn of.

    Raises `ConfigError` for a mode that settings forbid.
    """
    settings = config.settings
    mode = Mode.from_flag(wanted) if wanted is not None else _default(settings)
    if mode is Mode.YOLO and settings.security.disable_yolo_mode:
        file = config.origin("security.disableYoloMode").path
        raise ConfigError(
            f"yolo is forbidden by security.disableYoloMode in {file}; "
            "leave --yolo or --approval-mode yolo away"
        )
    if mode is Mode.YOLO and settings.admin.secure_mode_enabled:
        raise ConfigError("yolo is forbidden by your organisation (admin.secureModeEnabled)")
    if mode is Mode.PLAN and not settings.general.plan.enabled:
        return Mode.DEFAULT, "Plan mode is switched off (general.plan.enabled); using default"
    if mode not in (Mode.DEFAULT, Mode.PLAN) and not config.trust.trusted:
        return Mode.DEFAULT, f"This folder is not trusted, so {mode.flag} became default"
    return mode, ""


def _default(settings: Settings) -> Mode:
    """Settings may not start a session in yolo: a repository could ask for that."""
    mode = Mode.from_flag(settings.general.default_approval_mode)
    return Mode.DEFAULT if mode is Mode.YOLO else mode
