"""Moments as people type them: a day, a day and hour, or how long ago.

A day without an hour begins at midnight of the computer's own time zone.
"""

import re
from datetime import datetime, timedelta

from gemini_cli.protocol.errors import UsageError

_AGO = re.compile(r"(\d{1,6})(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str | None, flag: str, now: datetime | None = None) -> int | None:
    """Unix milliseconds; None when nothing was given."""
    if text is None:
        return None
    here = (now or datetime.now()).astimezone()
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        found = midnight - timedelta(days=text == "yesterday")
        return round(found.timestamp() * 1000)
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            found = here - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        else:
            found = datetime.fromisoformat(text)
            found = found if found.tzinfo else found.astimezone()
        return round(found.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{flag} {text!r} is no moment; use 2025-10-29, 2025-10-29T14:00, today, yesterday, "
            "7d or 12h."
        ) from None
