"""Cursor: its stored sessions and its live stream in the unified shape.

The functions of the room's door with the tool filled in (`load_session`, `execute`, …); the
modules `types`, `names`, `parse` and `load` are its own. Nothing is loaded before use.
"""

from typing import Any

from gemini_cli.transcripts.single import member


def __getattr__(name: str) -> Any:
    return member(__name__, name)
