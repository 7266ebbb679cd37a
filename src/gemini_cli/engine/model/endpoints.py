"""Where requests go: the base address, the version of the API and the path of each method.

A base address that cannot be meant is a `ConfigError` naming the variable it came from.
Model names are quoted, so none of them can reach another path.
"""

import re
from typing import Literal, TypeAlias
from urllib.parse import quote, urlsplit

import msgspec

from gemini_cli.engine.model.catalog import plain_name
from gemini_cli.protocol.errors import ConfigError

DEFAULT_BASE = "https://generativelanguage.googleapis.com"
DEFAULT_VERSION = "v1beta"

Method: TypeAlias = Literal["generateContentStream", "generateContent", "countTokens"]
_PATHS: dict[Method, str] = {
    "generateContentStream": "streamGenerateContent?alt=sse",
    "generateContent": "generateContent",
    "countTokens": "countTokens",
}
_QUOTE_SAFE = "-._~:@"
_VERSION = re.compile(r"[A-Za-z0-9_.~-]*[A-Za-z0-9]")


class Endpoint(msgspec.Struct, frozen=True):
    """A service that speaks the Gemini API."""

    base: str = DEFAULT_BASE
    version: str = DEFAULT_VERSION

    def url(self, model: str, method: Method) -> str:
        """The full address of one method of one model."""
        name = plain_name(model)
        folder, _, rest = name.rpartition("/")
        folder = folder if folder == "tunedModels" else "models"
        rest = rest if folder == "tunedModels" else name
        path = quote(rest, safe=_QUOTE_SAFE)
        return f"{self.base}/{self.version}/{folder}/{path}:{_PATHS[method]}"


def endpoint(base_url: str | None, version: str | None, variable: str) -> Endpoint:
    """The endpoint for these values; `variable` is where the address was read from."""
    base = DEFAULT_BASE if not base_url else _checked(base_url.strip(), variable)
    chosen = (version or "").strip().strip("/") or DEFAULT_VERSION
    if not _VERSION.fullmatch(chosen):
        raise ConfigError(
            f"GOOGLE_GENAI_API_VERSION: {chosen!r} is not a version such as {DEFAULT_VERSION!r}."
        )
    return Endpoint(base, chosen)


def _checked(text: str, variable: str) -> str:
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or any(c.isspace() or not c.isprintable() for c in text):
        raise ConfigError(
            f"{variable}: {text!r} is not a usable address. Write it as https://host or "
            "https://host:port/path."
        )
    if parts.username or parts.password:
        raise ConfigError(
            f"{variable}: a user name or password in the address is not supported. "
            "Put the credential into GEMINI_API_KEY or GEMINI_CLI_CUSTOM_HEADERS."
        )
    if parts.query or parts.fragment:
        raise ConfigError(f"{variable}: the address must end before any ? or #.")
    return text.rstrip("/")
