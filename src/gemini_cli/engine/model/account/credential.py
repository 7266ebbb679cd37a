"""Turns the chosen sign-in into an endpoint and the headers that prove who asks.

The key is looked for in the environment, then in the store handed in; it is never shown
and never written anywhere.
"""

from collections.abc import Callable, Mapping

import msgspec

from gemini_cli.engine.model.account.choice import SETTING, AuthKind
from gemini_cli.engine.model.endpoints import Endpoint, endpoint
from gemini_cli.protocol.errors import AuthError, ConfigError

_BASE_URL = "GOOGLE_GEMINI_BASE_URL"
_MECHANISM = "GEMINI_API_KEY_AUTH_MECHANISM"


class Account(msgspec.Struct, frozen=True):
    """Where to send requests, and with which credential."""

    kind: AuthKind
    endpoint: Endpoint
    headers: dict[str, str]

    def __repr__(self) -> str:
        return f"Account({self.kind.value}, {self.endpoint.base}, key hidden)"


def open_account(
    kind: AuthKind, env: Mapping[str, str], stored_key: Callable[[], str | None]
) -> Account:
    """The account behind a sign-in. `stored_key` is asked only when no variable holds a key."""
    if kind not in (AuthKind.API_KEY, AuthKind.GATEWAY):
        raise AuthError(
            f"Signing in with {kind.value!r} is not in this version. Set {SETTING} in "
            "settings.json to 'gemini-api-key', and GEMINI_API_KEY to a key from "
            "https://aistudio.google.com/apikey."
        )
    base_url = env.get(_BASE_URL, "").strip()
    place = endpoint(base_url, env.get("GOOGLE_GENAI_API_VERSION"), _BASE_URL)
    key = env.get("GEMINI_API_KEY", "").strip()
    if kind is AuthKind.GATEWAY:
        if not base_url:
            raise AuthError(f"{SETTING} is 'gateway', but {_BASE_URL} names no gateway.")
        return Account(kind, place, _headers(key, env))
    key = key or (stored_key() or "").strip()
    if not key:
        raise AuthError(
            "No API key found. Set GEMINI_API_KEY to a key from "
            "https://aistudio.google.com/apikey, for instance in ~/.gemini/.env."
        )
    return Account(kind, place, _headers(key, env))


def _headers(key: str, env: Mapping[str, str]) -> dict[str, str]:
    if any(not character.isascii() or not character.isprintable() for character in key):
        raise AuthError(
            "GEMINI_API_KEY holds a line break or a character no key has. Copy the key again."
        )
    headers = {"x-goog-api-key": key}
    mechanism = env.get(_MECHANISM, "").strip() or "x-goog-api-key"
    if mechanism == "bearer" and key:
        headers["Authorization"] = f"Bearer {key}"
    elif mechanism not in ("bearer", "x-goog-api-key"):
        raise ConfigError(f"{_MECHANISM}: {mechanism!r} is neither 'x-goog-api-key' nor 'bearer'.")
    return headers
