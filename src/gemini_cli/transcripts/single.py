"""The room's functions with one tool filled in, for the sub-packages named after tools.

Only arguments are bound here; what is done is done by the functions of the door.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

BOUND = {
    "detect_cli": "detect_cli",
    "execute": "execute",
    "get_capabilities": "get_capabilities",
    "list_sessions": "list_sessions",
    "load_session": "load_messages",
    "load_session_sync": "load_messages_sync",
    "parse_message": "parse_message",
    "stream": "stream",
}


def bound(tool: str, name: str) -> Callable[..., Any]:
    """The function of the door for one tool; options of a run name their tool themselves."""
    function: Callable[..., Any] = getattr(import_module("gemini_cli.transcripts"), BOUND[name])
    return function if name in ("execute", "stream") else partial(function, tool)
