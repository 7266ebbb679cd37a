"""Pictures of Codex's content items: data URLs become inline data, other addresses stay."""

import re

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.transcripts.coerce import as_dict
from gemini_cli.transcripts.gemini.media import media_of
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    UrlSource,
)

_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^;,]*)*;base64,", re.IGNORECASE)


def image_block(item: JsonObject) -> ImageBlock | None:
    """The picture of an `input_image` or `output_image` item."""
    if item.get("type") not in ("input_image", "output_image", "image"):
        return None
    address = item.get("image_url")
    url = as_dict(address).get("url") if isinstance(address, dict) else address
    return ImageBlock(source_of(url)) if isinstance(url, str) else None


def source_of(url: str, default_type: str = "image/png") -> Base64Source | UrlSource:
    """Inline data of a base64 data URL, else the address."""
    found = _DATA_URL.match(url[:256])
    if found is None:
        return UrlSource(url)
    return Base64Source(url[found.end() :], found[1] or default_type)


def file_block(url: JsonValue, mime: str) -> ImageBlock | DocumentBlock | None:
    """A file given as a URL, by its media type."""
    if not isinstance(url, str) or not url:
        return None
    return media_of(source_of(url, mime), mime)
