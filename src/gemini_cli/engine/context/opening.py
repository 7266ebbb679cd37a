"""Writes the first message of a conversation: where and when it takes place, and what is known.

The text is built once per conversation and not brought up to date later, so that what the
service has cached stays valid.
"""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from gemini_cli.engine.context.tree import Ignored, folder_tree, nothing_ignored, printable


class Surroundings(Struct, frozen=True):
    """What the first message tells."""

    today: date
    platform: str
    scratch: str
    roots: tuple[str, ...]
    extension_text: str = ""
    project_text: str = ""


def session_context(
    about: Surroundings, *, tree: bool = True, ignored: Ignored = nothing_ignored
) -> str:
    """The whole message, in its tags."""
    day = f"{about.today:%A, %B} {about.today.day}, {about.today.year}"
    lines = [
        "<session_context>",
        "You are running as Gemini CLI. This message describes your surroundings; the user's "
        "words follow it.",
        f"Date: {day}",
        f"Operating system: {about.platform}",
        f"Temporary directory of this project: {about.scratch}",
        directories(about.roots),
    ]
    if tree:
        lines.append(
            "\n\n".join(["Folder structure:", *(folder_tree(r, ignored) for r in about.roots)])
        )
    loaded = _loaded(about)
    return "\n".join([*lines, *(["", loaded] if loaded else []), "</session_context>"])


def directories(roots: Sequence[str]) -> str:
    """The list of workspace directories; sent by itself when one is added later."""
    return "\n".join(["Workspace directories:", *(f"  - {printable(root)}" for root in roots)])


def _loaded(about: Surroundings) -> str:
    blocks = (
        ("extension_context", about.extension_text),
        ("project_context", about.project_text),
    )
    inside = [f"<{tag}>\n{text.strip()}\n</{tag}>" for tag, text in blocks if text.strip()]
    return "\n".join(["<loaded_context>", *inside, "</loaded_context>"]) if inside else ""
