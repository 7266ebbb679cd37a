"""Marks text from the outside world, so that a model can tell it from instructions.

A closing mark inside the text is defused. It judges nothing about the text.
"""

import re

CLOSING = re.compile(r"<(\s*/\s*untrusted_context\b[^<>]*)(>?)", re.IGNORECASE)


def untrusted(text: str) -> str:
    """The text between marks it cannot leave."""
    safe = CLOSING.sub(lambda mark: f"&lt;{mark[1]}{'&gt;' if mark[2] else ''}", text)
    return f"<untrusted_context>\n{safe}\n</untrusted_context>"
