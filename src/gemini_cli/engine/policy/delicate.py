"""Edits that a person must see even in a mode that lets edits pass: what the next run obeys.

A file that grants permissions or starts programs when a folder is opened is not code like any
other. Whether a path may be written at all is for the workspace to say, not for this.
"""

from collections.abc import Callable
from pathlib import Path

from gemini_cli.protocol.errors import GeminiError
from gemini_cli.protocol.host import Workspace
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.policy import CallFacts

FOLDERS = frozenset({".gemini", ".vscode"})
PATHS = ("file_path", "path", "filePath", "file")

Objection = Callable[[CallFacts], str]
"""Why a call that the rules allow needs a person all the same; "" where it does not."""


def edits_of_settings(workspace: Workspace, own: Path) -> Objection:
    """Objects to edits below `.gemini` and `.vscode`; `own` is the session's own folder."""

    def objection(facts: CallFacts) -> str:
        if facts.kind != "edit" or facts.mode is not Mode.AUTO_EDIT:
            return ""
        for text in (facts.args.get(name) for name in PATHS):
            path = _real(workspace, text) if isinstance(text, str) else None
            if path is not None and not path.is_relative_to(own) and _is_delicate(workspace, path):
                return (
                    f"{workspace.shown(path)} decides what later runs may do, so a person must "
                    "approve the change."
                )
        return ""

    return objection


def _real(workspace: Workspace, text: str) -> Path | None:
    """None for a path that the tool will be refused anyway."""
    try:
        return workspace.resolve(text, for_write=True)
    except GeminiError:
        return None


def _is_delicate(workspace: Workspace, path: Path) -> bool:
    places = (root for root in workspace.roots if path.is_relative_to(root))
    parts = {part.casefold() for root in places for part in path.relative_to(root).parts}
    return not FOLDERS.isdisjoint(parts)
