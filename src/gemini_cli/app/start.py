"""The stages of a start, in order, each free to refuse: settings, trust, mode, account.

Nothing is written here and nothing is connected: both wait for the first session.
"""

from collections.abc import Callable
from pathlib import Path

from gemini_cli.app.app import App
from gemini_cli.app.lacking import deprecated, refuse_sandbox, unheeded
from gemini_cli.app.launch import Launch
from gemini_cli.app.mode import start_mode
from gemini_cli.app.trust import require_trust
from gemini_cli.app.wire.basis import Basis, Project
from gemini_cli.app.wire.host import missing_roots
from gemini_cli.app.wire.model import build_models
from gemini_cli.app.wire.policy import require_readable_rules
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.config.load import load
from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.host.clock import SystemClock
from gemini_cli.protocol.host import Clock


def start(
    launch: Launch,
    env: Env,
    cwd: Path,
    home: Path | None = None,
    *,
    warn: Callable[[str], None],
    settled: Callable[[Settings], None] = lambda settings: None,
    clock: Clock | None = None,
) -> App:
    """The product, ready to open sessions. Raises a `FatalError` that says what to mend.

    `warn` is told what a person should know, and `settled` is handed the settings, before a
    later stage may refuse.
    """
    config = load(env, cwd, home, skip_trust=launch.skip_trust, ignore_env=launch.ignore_env)
    settled(config.settings)
    for text in (*config.warnings, *deprecated(config, launch)):
        warn(text)
    if not launch.interactive:
        require_trust(config)
    mode, warning = start_mode(launch.mode, config)
    if warning:
        warn(warning)
    basis = Basis(config, launch, clock or SystemClock(), Project(config.paths))
    require_readable_rules(basis, mode)
    models = build_models(basis, warn)
    refuse_sandbox(config, launch)
    for text in (*unheeded(config), *missing_roots(basis)):
        warn(text)
    return App(basis, models, mode, warn)
