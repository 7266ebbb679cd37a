"""Turns what a person typed or piped in into a prompt.

Slash commands, `@path` and shell mode will be told apart here; for now every text is words
for the model, and what looks like a slash command is told so.
"""

from pathlib import Path

from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.ops import Prompt


def prompt_of(piped: str, typed: str | None) -> str | None:
    """The words of a run: piped text in front of the typed; None where there are none."""
    words = [text for text in (piped, typed or "") if text.strip()]
    return "\n\n".join(words) if words else None


def unread_command(typed: str | None) -> str | None:
    """A warning where the first word is meant for us and the model will get it; else None."""
    word = (typed or "").split(maxsplit=1)[:1]
    name = word[0][1:] if word and word[0].startswith("/") else ""
    if not name or not name.translate(_IN_NAMES).isalnum() or Path(word[0]).exists():
        return None
    return f"{word[0]} goes to the model as plain words; slash commands are not in this version"


_IN_NAMES = str.maketrans("", "", ":-_")


def prompt_op(text: str, prompt_id: str) -> Prompt:
    """The op that starts a turn with these words."""
    return Prompt((Text(text),), prompt_id=prompt_id)
