"""Decides how to sign in, from the settings first and the environment second.

It reads no credential and contacts nobody. When nothing fits, the error lists every way out.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from gemini_cli.protocol.errors import AuthError

SETTING = "security.auth.selectedType"
ENFORCED = "security.auth.enforcedType"


class AuthKind(StrEnum):
    """Values of the setting `security.auth.selectedType`."""

    OAUTH = "oauth-personal"
    API_KEY = "gemini-api-key"
    VERTEX = "vertex-ai"
    COMPUTE = "compute-default-credentials"
    GATEWAY = "gateway"


class AuthSettings(msgspec.Struct, frozen=True):
    """The settings under `security.auth`."""

    selected: str | None = None
    enforced: str | None = None
    use_external: bool = False
    selected_in: str = ""
    """The file that says `selected`."""
    enforced_in: str = ""


def choose_kind(settings: AuthSettings, env: Mapping[str, str]) -> AuthKind:
    """The kind of sign-in in force. Raises `AuthError` when there is none or a forbidden one."""
    selected = _placed(SETTING, settings.selected_in)
    kind = _kind(settings.selected, selected) if settings.selected else _from_environment(env)
    enforced = _placed(ENFORCED, settings.enforced_in)
    required = settings.enforced if not settings.use_external else None
    if required and kind != _kind(required, enforced):
        found = f"{kind.value!r} is chosen" if kind else "none is chosen"
        raise AuthError(
            f"{enforced} allows only {required!r}, but {found}. Set {SETTING} to {required!r}."
        )
    if kind is None:
        raise AuthError(
            "No way to sign in is set up. Set GEMINI_API_KEY to a key from "
            f"https://aistudio.google.com/apikey, or {SETTING} in settings.json, or "
            "GOOGLE_GEMINI_BASE_URL to a gateway."
        )
    return kind


def _from_environment(env: Mapping[str, str]) -> AuthKind | None:
    if env.get("GOOGLE_GENAI_USE_GCA") == "true":
        return AuthKind.OAUTH
    if env.get("GOOGLE_GENAI_USE_VERTEXAI") == "true":
        return AuthKind.VERTEX
    if env.get("GEMINI_API_KEY", "").strip():
        return AuthKind.API_KEY
    if env.get("GOOGLE_GEMINI_BASE_URL", "").strip():
        return AuthKind.GATEWAY
    if env.get("CLOUD_SHELL") == "true" or env.get("GEMINI_CLI_USE_COMPUTE_ADC") == "true":
        return AuthKind.COMPUTE
    return None


def _placed(key: str, file: str) -> str:
    return f"{key} in {file}" if file else key


def _kind(text: str, said_by: str) -> AuthKind:
    if text == "cloud-shell":
        return AuthKind.COMPUTE
    try:
        return AuthKind(text)
    except ValueError:
        known = ", ".join(kind.value for kind in AuthKind)
        raise AuthError(
            f"{said_by}: {text!r} is not a way to sign in. Use one of: {known}."
        ) from None
