"""Turns what a person typed or piped in into a prompt.

Slash commands, `@path` and shell mode will be told apart here; for now every text is words
for the model, and a person who seems to mean more is told so.
"""

from pathlib import Path

from gemini_cli.protocol.messages import Text
from gemini_cli.protocol.ops import Prompt

_IN_NAMES = str.maketrans("", "", ":-_")


def prompt_of(piped: str, typed: str | None) -> str | None:
    """The words of a run: piped text in front of the typed; None where there are none."""
    words = [text for text in (piped, typed or "") if text.strip()]
    return "\n\n".join(words) if words else None


def only_words(typed: str | None, cwd: Path) -> str | None:
    """A warning where a slash command or a file is named and the model gets only its name."""
    words = (typed or "").split()
    if words and _is_command(words[0]):
        return (
            f"{words[0]} goes to the model as plain words; slash commands are not in this version"
        )
    files = [word for word in words if word[0] == "@" and word[1:] and _is_there(cwd / word[1:])]
    if not files:
        return None
    return (
        f"{files[0]} goes to the model as plain words; `@path` is not in this version: "
        "pipe the file in, or let the model read it"
    )


def prompt_op(text: str, prompt_id: str) -> Prompt:
    """The op that starts a turn with these words."""
    return Prompt((Text(text),), prompt_id=prompt_id)


def _is_command(word: str) -> bool:
    """`/name` or `/group:name`, and no place on the disk."""
    name = word[1:] if word.startswith("/") else ""
    return name.translate(_IN_NAMES).isalnum() and not _is_there(Path(word))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
