"""Turns a failed request into the product's error, with a sentence that says what to do.

No answer of a service is dumped: its message is shortened to one line and freed of keys.
Which errors pass by themselves is told by their class; how long to wait is `retry`'s work.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from gemini_cli.engine.model.quota import ErrorBody, read_error
from gemini_cli.engine.model.quoting import one_line, words_of_page
from gemini_cli.ground.net.problem import HttpProblem
from gemini_cli.protocol import errors
from gemini_cli.protocol.jsonvalue import JsonValue

LONGEST_WAIT = 300.0
"""A delay beyond this is no delay but a refusal."""

_CAPACITY = re.compile(r"(exhausted|exceeded)\b.{0,40}\bcapacity", re.IGNORECASE)
_TOO_LONG = re.compile(r"token count.*exceeds|exceeds the maximum number of tokens", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _]key (not valid|expired|not found)", re.IGNORECASE)
_HTTP_DATE = re.compile(r"\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_MOST_PAGE = 8000
_NEVER = 1e9
_OTHER_MODEL = "choose another model with --model"
_CAPACITY_REASONS = ("MODEL_CAPACITY_EXHAUSTED", "MODEL_CAPACITY_EXCEEDED")


def error_from_answer(
    status: int,
    body: bytes | JsonValue,
    headers: Mapping[str, str],
    model: str,
    secrets: Sequence[str] = (),
) -> errors.ModelError:
    """The error behind an answer that is none: by status, then by what the body says."""
    found = read_error(body)
    said = _said(found, body, secrets)
    if status in (429, 499, 503):
        return _busy(status, found, said, _retry_after(headers), model)
    if status >= 500:
        delay = found.delay if found.delay is not None else _retry_after(headers)
        return _overloaded(status, said, delay, model)
    return _refused(status, found, said, model)


def error_in_stream(
    raw: Mapping[str, JsonValue], model: str, secrets: Sequence[str] = ()
) -> errors.ModelError | None:
    """The error a chunk carries instead of an answer."""
    error = raw.get("error")
    if len(raw) != 1 or not isinstance(error, dict):
        return None
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return error_from_answer(status, dict(raw), {}, model, secrets)


def error_from_problem(problem: HttpProblem, model: str) -> errors.ModelError:
    """The error behind a request that got no answer."""
    match problem.kind:
        case "offline" | "connect_timeout":
            return errors.Offline(str(problem), model=model)
        case "first_byte_timeout" | "idle_timeout":
            return errors.Stalled(str(problem), model=model)
        case "broken":
            return errors.Unavailable(str(problem), model=model)
        case "proxy" | "tls" | "request" | "redirect" | "too_large" | "encoding":
            return errors.BadRequest(str(problem), model=model)


def _busy(
    status: int, found: ErrorBody, said: str, retry_after: float | None, model: str
) -> errors.ModelError:
    """429, 499 and 503: passing or final, by what the details say."""
    delay = found.delay if found.delay is not None else retry_after
    spent, long = _is_spent(found, delay), delay is not None and delay > LONGEST_WAIT
    if spent or long:
        quota = spent or status == 429
        what = f"The quota for {model} is used up" if quota else f"{model} does not answer for now"
        when = f"for {_lasting(delay)}" if long else "until it is renewed"
        return errors.QuotaExhausted(
            f"{what} ({status}){said}. Wait {when}, or {_OTHER_MODEL}.", status=status, model=model
        )
    if delay is None and "PerMinute" in found.quota_ids:
        delay = 60.0
    if status != 429:
        return _overloaded(status, said, delay, model)
    return errors.RateLimited(
        f"Rate limit exceeded for {model} ({status}){said}. Try again in "
        f"{f'{delay:.0f} s' if delay else 'a while'}, or {_OTHER_MODEL}.",
        status=status,
        model=model,
        retry_after=delay,
    )


def _is_spent(found: ErrorBody, delay: float | None) -> bool:
    """Whether a quota is used up for longer than anybody waits."""
    quotas = found.quota_ids
    if "limit: 0" in found.message or "PerDay" in quotas or "Daily" in quotas:
        return True
    if found.reason in ("INSUFFICIENT_G1_CREDITS_BALANCE", "QUOTA_EXHAUSTED"):
        return True
    if found.reason in _CAPACITY_REASONS or _CAPACITY.search(found.message):
        return False
    return found.reason == "RATE_LIMIT_EXCEEDED" and "cloudcode" in found.domain and delay is None


def _lasting(seconds: float | None) -> str:
    seconds = min(seconds or 0.0, _NEVER)
    if seconds < 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _overloaded(status: int, said: str, delay: float | None, model: str) -> errors.Overloaded:
    return errors.Overloaded(
        f"{model} cannot answer just now ({status}){said}. Try again in a moment, or "
        f"{_OTHER_MODEL}.",
        status=status,
        model=model,
        retry_after=delay if delay is None or delay <= LONGEST_WAIT else None,
    )


def _refused(status: int, found: ErrorBody, said: str, model: str) -> errors.ModelError:
    if status == 401 or found.reason.startswith("API_KEY") or _BAD_KEY.search(found.message):
        return errors.Unauthorized(
            f"The credential was refused ({status}){said}. Check GEMINI_API_KEY, or make a key "
            "at https://aistudio.google.com/apikey.",
            status=status,
            model=model,
        )
    if status == 403:
        return errors.Forbidden(_forbidden(found, said), status=status, model=model)
    if status == 404:
        return errors.ModelNotFound(
            f"There is no model {model} for this account or address ({status}){said}. "
            f"Please {_OTHER_MODEL}.",
            status=status,
            model=model,
        )
    if status == 407:
        return errors.BadRequest(
            "The proxy wants a user name and password (407). Write them into HTTPS_PROXY as "
            "http://user:password@host:port.",
            status=status,
            model=model,
        )
    if status == 413 or _TOO_LONG.search(found.message):
        return errors.ContextTooLong(
            f"The conversation is too long for {model} ({status}){said}. Shorten it with "
            "/compress, or start anew with /clear.",
            status=status,
            model=model,
        )
    return errors.BadRequest(
        f"The service refused the request ({status}){said}.", status=status, model=model
    )


def _forbidden(found: ErrorBody, said: str) -> str:
    metadata, reason = found.metadata, found.reason
    if reason == "VALIDATION_REQUIRED":
        link = one_line(_first_link(found) or str(metadata.get("validation_link", "")))
        return f"The account must be verified first (403){said}. Verify it here: {link}"
    if reason == "TOS_VIOLATION":
        link = one_line(str(metadata.get("appeal_url", "")))
        return f"The account is suspended (403){said}.{f' Appeal here: {link}' if link else ''}"
    return (
        f"The account may not do this (403){said}. Check that the key's project has the "
        "Gemini API enabled and may use this model."
    )


def _first_link(found: ErrorBody) -> str:
    links = found.detail("Help").get("links")
    first = links[0] if isinstance(links, list) and links else {}
    return str(first.get("url", "")) if isinstance(first, dict) else ""


def _said(found: ErrorBody, body: bytes | JsonValue, secrets: Sequence[str]) -> str:
    """`: ` and the service's own words on one line, or nothing."""
    text = found.message
    if not text and isinstance(body, bytes):
        text = words_of_page(body[:_MOST_PAGE].decode("utf-8", "replace"))
        text = "" if text.lstrip()[:1] in ("{", "[") else text
    text = one_line(text, secrets).rstrip(". ")
    return f": {text}" if text else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from a `Retry-After` header, a number or a date."""
    value = (headers.get("retry-after") or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    return _until(value)


def _until(date: str) -> float | None:
    """Seconds to a date such as `Wed, 21 Oct 2026 07:28:00 GMT`."""
    match = _HTTP_DATE.fullmatch(date)
    if match is None:
        return None
    day, month, year, hour, minute, second = match.groups()
    try:
        moment = datetime(
            int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second),
            tzinfo=UTC,
        )  # fmt: skip
    except ValueError:
        return None
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
