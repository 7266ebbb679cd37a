"""Marks text from the outside world, so that a model can tell it from instructions.

A closing mark inside the text is defused. It judges nothing about the text.
"""

import re

CLOSING = re.compile(r"<(\s*/\s*untrusted_context[^>]*)>", re.IGNORECASE)


def untrusted(text: str) -> str:
    """The text between marks it cannot leave."""
    safe = CLOSING.sub(r"&lt;\1&gt;", text)
    return f"<untrusted_context>\n{safe}\n</untrusted_context>"
