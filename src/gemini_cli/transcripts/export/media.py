"""Pictures and documents of a message as HTML, only from data that came with them.

A picture from elsewhere becomes a link and a format that can hold scripts becomes a note, so
that the page asks nobody for anything and runs nothing.
"""

from gemini_cli.transcripts.export.clean import escape, safe_image, safe_link
from gemini_cli.transcripts.model import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefSource,
    Source,
    UrlSource,
)


def media_html(block: ImageBlock | DocumentBlock) -> str:
    """A picture where it is harmless, else a note of what was there."""
    source = block.source
    if isinstance(block, ImageBlock) and isinstance(source, Base64Source):
        url = safe_image(source.data, source.media_type)
        if url is not None:
            return f'<figure><img src="{url}" alt="picture in the conversation"></figure>'
    return f'<p class="note">{_note(block.type, source)}</p>'


def describe(block: ImageBlock | DocumentBlock) -> str:
    """The same note as plain text."""
    source = block.source
    match source:
        case UrlSource():
            return f"[{block.type}: {source.url}]"
        case Base64Source():
            size = len(source.data) * 3 // 4
            return f"[{block.type}: {source.media_type}, {size:,} bytes]"
        case RefSource():
            return f"[{block.type}: {source.media_type}, {source.size:,} bytes]"


def _note(kind: str, source: Source) -> str:
    if isinstance(source, UrlSource):
        link = safe_link(source.url)
        if link is not None:
            rel = 'rel="noopener noreferrer nofollow"'
            return f'{kind}: <a href="{escape(link)}" {rel}>{escape(source.url)}</a>'
        return f"{kind}: {escape(source.url)}"
    size = source.size if isinstance(source, RefSource) else len(source.data) * 3 // 4
    return f"{kind}: {escape(source.media_type)}, {size:,} bytes"
