"""Text that can be written down: half characters become question marks.

Names of files and outputs of commands may hold them; one would keep a whole event out of
the journal.
"""

from msgspec.structs import replace

from gemini_cli.protocol.display import Display, PlainText, Terminal
from gemini_cli.protocol.messages import Blob, Part, Text
from gemini_cli.protocol.tools import ToolResult


def readable(text: str) -> str:
    """The same text, unless it holds half characters."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def readable_part(part: Part) -> Part:
    """A part with readable words."""
    return _text(part) if isinstance(part, Text) else part


def readable_display(display: Display) -> Display:
    """A display with readable words, where it is one of words."""
    if not isinstance(display, PlainText | Terminal):
        return display
    words = readable(display.text)
    return display if words is display.text else replace(display, text=words)


def readable_result(result: ToolResult) -> ToolResult:
    """A tool's result with readable words for the model and the person."""
    return replace(
        result,
        for_model=tuple(_text_or_blob(part) for part in result.for_model),
        error=None if result.error is None else readable(result.error),
        display=None if result.display is None else readable_display(result.display),
    )


def _text(part: Text) -> Text:
    words = readable(part.text)
    return part if words is part.text else replace(part, text=words)


def _text_or_blob(part: Text | Blob) -> Text | Blob:
    return _text(part) if isinstance(part, Text) else part
