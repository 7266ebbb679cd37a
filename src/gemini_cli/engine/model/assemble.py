"""Builds the room from settings and values of the environment, in one place.

A file of fake answers wins over every way of signing in, so tests need no key. Nothing is
sent here, and the HTTP client is made only if it will be used.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import random

import msgspec

from gemini_cli.engine.model.account import Account, AuthSettings, choose_kind, open_account
from gemini_cli.engine.model.catalog import Access
from gemini_cli.engine.model.client import HttpTransport
from gemini_cli.engine.model.configs import ModelConfigs
from gemini_cli.engine.model.gemini import Answered, GeminiModels, call_ids
from gemini_cli.engine.model.headers import VARIABLE, Identity, custom_headers, request_headers
from gemini_cli.engine.model.record import FakeTransport, RecordingTransport
from gemini_cli.engine.model.report import Reports
from gemini_cli.engine.model.retry import RetryPolicy
from gemini_cli.engine.model.transport import Transport
from gemini_cli.ground.net.exchange import HttpClient
from gemini_cli.protocol.host import Clock
from gemini_cli.protocol.jsonvalue import JsonObject


class ModelSettings(msgspec.Struct, frozen=True):
    """The slice of the settings this room lives by."""

    auth: AuthSettings = AuthSettings()
    retry: RetryPolicy = RetryPolicy()
    aliases: Mapping[str, JsonObject] | None = None
    """`modelConfigs.aliases`; replaces the built-in table."""
    overrides: Sequence[JsonObject] | None = None
    custom_aliases: Mapping[str, JsonObject] = {}
    custom_overrides: Sequence[JsonObject] = ()


class Recordings(msgspec.Struct, frozen=True):
    """The files of the hidden test flags."""

    fake: Path | None = None
    fake_loose: Path | None = None
    """Wins over `fake`."""
    record: Path | None = None


def open_models(
    settings: ModelSettings,
    env: Mapping[str, str],
    *,
    http: Callable[[], HttpClient],
    clock: Clock,
    identity: Identity | None = None,
    recordings: Recordings | None = None,
    stored_key: Callable[[], str | None] = lambda: None,
    heard: Callable[[Answered], None] | None = None,
    jitter: Callable[[], float] = random,
    reports: Callable[[], Path] | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> GeminiModels:
    """The models of this process. Raises `AuthError`, `ConfigError` or `InputError`.

    `reports` names the folder for requests that failed, where somebody wants to see them;
    `warn` is told what had to be left out.
    """
    files = recordings or Recordings()
    new_id = call_ids(clock)
    transport = _transport(settings, env, http, identity or Identity(), files, stored_key, warn)
    if files.record is not None:
        transport = RecordingTransport(transport, files.record, new_id)
    configs = ModelConfigs(
        settings.aliases, settings.overrides, settings.custom_aliases, settings.custom_overrides
    )
    return GeminiModels(
        transport,
        clock,
        configs=configs,
        policy=settings.retry,
        access=Access(),
        jitter=jitter,
        heard=heard,
        new_id=new_id,
        reports=Reports(reports, clock),
    )


def _transport(
    settings: ModelSettings,
    env: Mapping[str, str],
    http: Callable[[], HttpClient],
    identity: Identity,
    files: Recordings,
    stored_key: Callable[[], str | None],
    warn: Callable[[str], None],
) -> Transport:
    if files.fake_loose is not None:
        return FakeTransport(files.fake_loose, strict=False)
    if files.fake is not None:
        return FakeTransport(files.fake, strict=True)
    account = open_account(choose_kind(settings.auth, env), env, stored_key)
    custom = custom_headers(env.get(VARIABLE), warn)
    secrets = _secrets(account.headers | custom)
    return HttpTransport(http(), account.endpoint, _headers(account, identity, custom), secrets)


def _secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Every word of a header that may be a credential, longest first."""
    words = {word for value in headers.values() for word in (value, *value.split())}
    return tuple(sorted(words, key=len, reverse=True))


def _headers(
    account: Account, identity: Identity, custom: Mapping[str, str]
) -> Callable[[str], Mapping[str, str]]:
    return lambda model: request_headers(identity, model, custom) | account.headers
