"""Turns what a person typed or piped in into a prompt.

Slash commands, `@path` and shell mode will be told apart here; for now every text is words
for the model.
"""

from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.ops import Prompt


def prompt_of(piped: str, typed: str | None) -> str | None:
    """The words of a run: piped text in front of the typed; None where there are none."""
    words = [text for text in (piped, typed or "") if text.strip()]
    return "\n\n".join(words) if words else None


def prompt_op(text: str, prompt_id: str) -> Prompt:
    """The op that starts a turn with these words."""
    return Prompt((Text(text),), prompt_id=prompt_id)
