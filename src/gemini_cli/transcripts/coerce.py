"""Values of the right type out of records that promise nothing.

A session file may hold any JSON value in any place; these functions answer with something
usable and never raise. They decide no meaning.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

_ISO = re.compile(
    r"\s*([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?)?"
    r"\s*(Z|z|[+-]\d{2}:?\d{2})?\s*"
)
_MAX_MS = 1 << 53
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = {f"{n:02}.": n * 1000 for n in range(60)}
_MILLIS = {f"{n:03}Z": n for n in range(1000)}
_MOST_MINUTES = 4096
_minutes: dict[str, int] = {}
_MONTH_DAYS = (0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def as_str(value: JsonValue, default: str = "") -> str:
    return value if isinstance(value, str) else default


def opt_str(value: JsonValue) -> str | None:
    """A str that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def as_dict(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def dicts(value: JsonValue) -> list[JsonObject]:
    """The objects of a list, everything else left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_int(value: JsonValue, default: int = 0) -> int:
    """Counts may be null, missing, floats or numbers in a str."""
    found = opt_int(value)
    return default if found is None else found


def opt_int(value: JsonValue) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and len(value) > 32:
        return None
    if isinstance(value, float | str):
        try:
            return int(float(value))
        except (ValueError, OverflowError):
            return None
    return None


def time_ms(value: JsonValue) -> int | None:
    """Unix milliseconds of an ISO-8601 text or of a number of (milli)seconds; None if neither."""
    if isinstance(value, str):
        # Most stamps are `YYYY-MM-DDTHH:MM:SS.mmmZ` and share their minute with the one before.
        minute = _minutes.get(value[:17])
        if minute is not None and len(value) == 24:
            second, millis = _SECONDS.get(value[17:20]), _MILLIS.get(value[20:])
            if second is not None and millis is not None:
                return minute + second + millis
        return _iso_ms(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -_MAX_MS < value < _MAX_MS:  # NaN fails this too
        return None
    return int(value if abs(value) > 1e11 else value * 1000)


def _iso_ms(text: str) -> int | None:
    if len(text) == 24 and text[-1] == "Z":
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            delta = moment - _EPOCH
            found_ms = (delta.days * 86400 + delta.seconds) * 1000
            if len(_minutes) >= _MOST_MINUTES:
                _minutes.clear()
            _minutes[text[:17]] = found_ms - moment.second * 1000
            return found_ms + delta.microseconds // 1000
    found = _ISO.fullmatch(text) if len(text) < 128 else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[i] or 0) for i in range(1, 7))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 24 and minute < 60 and second <= 60):
        return None
    millis = int(((found[7] or "") + "000")[:3])
    days = _days(year, month, day)
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - _offset(found[8])
    return seconds * 1000 + millis


def _offset(zone: str | None) -> int:
    if not zone or zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if zone[0] == "-" else seconds


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970 in the proleptic calendar; any year, which `datetime` does not offer."""
    leap_this = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    past = year - 1
    leaps = past // 4 - past // 100 + past // 400
    ordinal = past * 365 + leaps + _MONTH_DAYS[month] + (month > 2 and leap_this) + day
    return ordinal - 719163


def first_line(text: str, limit: int = 60) -> str:
    """The first line that says something, cut to a length."""
    stripped = text.strip()
    return stripped.splitlines()[0][:limit] if stripped else ""


def present(**fields: JsonValue) -> JsonObject:
    """An object of the fields that are not null."""
    return {key: value for key, value in fields.items() if value is not None}


def first(source: Mapping[str, JsonValue], *keys: str) -> JsonValue:
    """The value of the first key that is there and not null."""
    for key in keys:
        value = source.get(key)
        if value is not None:
            return value
    return None
