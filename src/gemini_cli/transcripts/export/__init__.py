"""Conversations as documents: a self-contained HTML page, Markdown, or JSON.

The door of the export. Names are imported on first use, for the Markdown library is not cheap.
Where a document is written is the caller's business.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gemini_cli.transcripts.export.html import page
    from gemini_cli.transcripts.export.json import json_document
    from gemini_cli.transcripts.export.markdown import markdown_document

__all__ = ["json_document", "markdown_document", "page"]
_HOME = {"page": "html", "markdown_document": "markdown", "json_document": "json"}


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
