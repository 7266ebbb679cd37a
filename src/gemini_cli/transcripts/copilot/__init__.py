"""Copilot CLI: its stored sessions and its live stream in the unified shape.

The functions of the room's door with the tool filled in (`load_session`, `execute`, …); the
modules `types`, `names`, `parse` and `load` are imported by name. Nothing is loaded before use.
"""

from collections.abc import Callable
from typing import Any

from gemini_cli.transcripts.single import BOUND, bound


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in BOUND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return bound("copilot", name)
