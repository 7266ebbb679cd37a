"""Reads the machine-readable details of an error body: delays, quotas and reasons.

Services and gateways nest, wrap and damage these bodies in many ways; whatever cannot be
read is treated as absent. It decides nothing, see `errors`.
"""

import re

import msgspec

from gemini_cli.engine.model.reading import read_json
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_NESTING = 10
_DELAY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s)")
_RETRY_IN = re.compile(r"retry in ([0-9.]+)\s*(ms|s)", re.IGNORECASE)
_STRAY_COMMAS = re.compile(r",(\s*,)+")


class ErrorBody(msgspec.Struct, frozen=True):
    """What a service said about a failure."""

    message: str = ""
    code: int | None = None
    status: str = ""
    details: tuple[JsonObject, ...] = ()

    def detail(self, kind: str) -> JsonObject:
        """The first detail of this type, such as `RetryInfo`."""
        return next((d for d in self.details if d.get("@type", "").endswith("." + kind)), {})

    @property
    def reason(self) -> str:
        """The reason of its ErrorInfo, in capitals."""
        return str(self.detail("ErrorInfo").get("reason", "")).upper()

    @property
    def domain(self) -> str:
        """The service that gave the reason."""
        return str(self.detail("ErrorInfo").get("domain", ""))

    @property
    def metadata(self) -> JsonObject:
        """Facts beside the reason."""
        found = self.detail("ErrorInfo").get("metadata")
        return found if isinstance(found, dict) else {}

    @property
    def quota_ids(self) -> str:
        """Names of the quotas concerned, joined."""
        violations = self.detail("QuotaFailure").get("violations")
        found = violations if isinstance(violations, list) else []
        ids = [str(v.get("quotaId", "")) for v in found if isinstance(v, dict)]
        return " ".join([*ids, str(self.metadata.get("quota_limit", ""))])

    @property
    def delay(self) -> float | None:
        """Seconds to wait, from RetryInfo or from the sentence itself."""
        match = _DELAY.fullmatch(str(self.detail("RetryInfo").get("retryDelay", "")).strip())
        match = match or _RETRY_IN.search(self.message)
        if match is None:
            return None
        try:
            value = float(match[1])
        except ValueError:
            return None
        return value / 1000 if match[2].lower() == "ms" else value


def read_error(body: bytes | JsonValue) -> ErrorBody:
    """Digs the innermost error out of a body."""
    value = _parsed(body) if isinstance(body, bytes | str) else body
    found = ErrorBody()
    for _ in range(_NESTING):
        error = _error_object(value)
        if error is None:
            break
        found = _read(error, found)
        value = _parsed(found.message)
    return found


def _read(error: JsonObject, outer: ErrorBody) -> ErrorBody:
    """An inner error wins, but what it leaves out is kept from the one around it."""
    message, code, status = error.get("message"), error.get("code"), error.get("status")
    details = error.get("details")
    listed = details if isinstance(details, list) else []
    kept = tuple(_detail(d) for d in listed if isinstance(d, dict))
    return ErrorBody(
        message=message if isinstance(message, str) else outer.message,
        code=code if isinstance(code, int) else outer.code,
        status=status if isinstance(status, str) else outer.status,
        details=kept or outer.details,
    )


def _error_object(value: JsonValue) -> JsonObject | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    error = value.get("error", value)
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) and ("message" in error or "code" in error) else None


def _detail(raw: JsonObject) -> JsonObject:
    """Keys and the type without the blanks some gateways put around them."""
    clean = {key.strip(): value for key, value in raw.items()}
    return clean | {"@type": str(clean.get("@type", "")).strip()}


def _parsed(text: bytes | str) -> JsonValue:
    plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if "{" not in plain:
        return None
    for attempt in (plain, _STRAY_COMMAS.sub(",", plain)):
        try:
            return read_json(attempt)
        except ValueError:
            continue
    return None
