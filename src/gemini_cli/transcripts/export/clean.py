"""Text made safe to show: escaped for HTML, and without what plays tricks on a reader.

Terminal codes and control characters go, characters that turn the direction of text around are
spelled out, lone surrogates become the replacement character. Nothing is judged by its meaning.
"""

import html
import re
from urllib.parse import urlsplit

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"
    r"|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|[PX^_][^\x1b]{0,4096}\x1b\\"
    r"|[@-Z\\-_])"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"})
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]++={0,2}\s*")
_UNSPELLED = re.compile("[\x7f-\x9f]")


def plain(text: str) -> str:
    """Text without terminal codes, control characters and hidden changes of direction."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("\ufffd", text)
    return _TURNING.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def spelled(json: str) -> str:
    """JSON whose strings spell out the control characters that JSON itself lets through."""
    return _UNSPELLED.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def escape(text: str) -> str:
    """The same, escaped for HTML text and quoted attributes."""
    return html.escape(plain(text), quote=True)


def safe_link(url: str) -> str | None:
    """An address that may be followed from a page: http, https or mailto; None otherwise."""
    cleaned = "".join(url.split())
    try:
        parts = urlsplit(cleaned)
    except ValueError:
        return None
    if parts.scheme in ("http", "https") and parts.netloc:
        return cleaned
    return cleaned if parts.scheme == "mailto" and parts.path else None


def safe_image(data: str, media_type: str) -> str | None:
    """A data address for a picture format that cannot hold scripts; None otherwise."""
    if media_type.lower() not in _IMAGES or _BASE64.fullmatch(data) is None:
        return None
    return f"data:{media_type.lower()};base64,{''.join(data.split())}"
