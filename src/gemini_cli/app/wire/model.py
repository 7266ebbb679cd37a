"""Wires the models: settings and variables into an account, retries and recordings."""

from collections.abc import Callable
from pathlib import Path

from gemini_cli.app.doors import http_client, stored_key
from gemini_cli.app.wire.basis import Basis
from gemini_cli.engine.model import (
    ENFORCED,
    SETTING,
    AuthSettings,
    GeminiModels,
    Identity,
    ModelSettings,
    Recordings,
    RetryPolicy,
    open_models,
    surface_of,
)
from gemini_cli.ground.config.disk import Unreadable, read_text
from gemini_cli.ground.config.env import Env
from gemini_cli.ground.net.exchange import HttpClient, HttpOptions

_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")


def build_models(basis: Basis, warn: Callable[[str], None]) -> GeminiModels:
    """The models of this process; one connection pool for all sessions.

    `warn` is told which network settings had to be left out.
    """
    settings = basis.settings
    auth, configs = settings.security.auth, settings.model_configs
    env = basis.env
    if basis.launch.api_key:
        env = env.with_values({"GEMINI_API_KEY": basis.launch.api_key})
    return open_models(
        ModelSettings(
            auth=AuthSettings(
                _selected(basis),
                auth.enforced_type,
                bool(auth.use_external),
                selected_in=_file(basis, SETTING),
                enforced_in=_file(basis, ENFORCED),
            ),
            retry=RetryPolicy(
                max_attempts=int(settings.general.max_attempts),
                network=settings.general.retry_fetch_errors,
            ),
            aliases=configs.aliases or None,
            overrides=configs.overrides or None,
            custom_aliases=configs.custom_aliases,
            custom_overrides=configs.custom_overrides,
        ),
        env,
        http=lambda: _client(env, warn),
        stored_key=lambda: stored_key(
            basis.paths.credentials, force_file=env.flag("GEMINI_FORCE_FILE_STORAGE")
        ),
        clock=basis.clock,
        identity=Identity(basis.launch.surface, surface_of(env), installation_id=_id(basis)),
        recordings=Recordings(
            _path(basis, basis.launch.fake_responses),
            _path(basis, basis.launch.fake_responses_non_strict),
            _path(basis, basis.launch.record_responses),
        ),
        warn=warn,
        reports=(lambda: basis.paths.project_tmp(basis.short_id)) if basis.launch.debug else None,
    )


def _selected(basis: Basis) -> str | None:
    """A key given for this run decides how to sign in."""
    if basis.launch.api_key:
        return "gemini-api-key"
    return basis.settings.security.auth.selected_type


def _file(basis: Basis, key: str) -> str:
    """The settings file that says so."""
    path = basis.config.origin(key).path
    return str(path) if path is not None else ""


def _client(env: Env, warn: Callable[[str], None]) -> HttpClient:
    options = HttpOptions(
        proxy=next((env[name] for name in _PROXIES if env.get(name)), None),
        no_proxy=env.get("NO_PROXY") or env.get("no_proxy") or "",
        ca_file=env.text("SSL_CERT_FILE"),
        extra_ca_file=env.text("NODE_EXTRA_CA_CERTS"),
    )
    return http_client(options, warn)


def _id(basis: Basis) -> str | None:
    """An installation id is sent only where one exists already and statistics are allowed."""
    if not basis.settings.privacy.usage_statistics_enabled:
        return None
    try:
        text = (read_text(basis.paths.installation_id) or "").strip()
    except Unreadable:
        return None
    return text if 0 < len(text) <= 64 and text.isascii() and text.isprintable() else None


def _path(basis: Basis, text: str | None) -> Path | None:
    return basis.paths.cwd / text if text else None
