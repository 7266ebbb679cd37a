"""Inline data and file references of a Gemini part as picture and document blocks."""

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.coerce import as_dict, as_str, opt_str
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Source,
    UnifiedContent,
    UrlSource,
)


def media_block(part: JsonObject) -> UnifiedContent | None:
    """The block of an `inlineData` or `fileData` part; None for every other part."""
    inline, linked = as_dict(part.get("inlineData")), as_dict(part.get("fileData"))
    if isinstance(inline.get("data"), str):
        mime = as_str(inline.get("mimeType"), "application/octet-stream")
        return media_of(Base64Source(inline["data"], mime), mime)
    if isinstance(linked.get("fileUri"), str):
        mime = as_str(linked.get("mimeType"))
        return media_of(UrlSource(linked["fileUri"], opt_str(mime)), mime)
    return None


def media_of(source: Source, mime: str) -> ImageBlock | DocumentBlock:
    """A picture for `image/…`, a document for everything else."""
    return ImageBlock(source) if mime.startswith("image/") else DocumentBlock(source)
