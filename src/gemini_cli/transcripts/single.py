"""The room's functions with one tool filled in, for the sub-packages named after tools.

Only arguments are bound here; what is done is done by the functions of the door.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

DOOR = "gemini_cli.transcripts"
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
_MODULES = frozenset({"load", "names", "parse", "types"})


def member(package: str, name: str) -> Any:
    """What a tool's package offers under a name: a function of the door, or a module of its own.

    Options of a run name their tool themselves.
    """
    if name in _MODULES:
        return import_module(f"{package}.{name}")
    if name not in BOUND:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    function: Callable[..., Any] = getattr(import_module(DOOR), BOUND[name])
    tool = package.rpartition(".")[2]
    return function if name in ("execute", "stream") else partial(function, tool)


class ParseModule(ModuleType):
    """`codex.parse` is a module, and `codex.parse(record)` is `parse_message("codex", record)`.

    Python puts an imported module in the place of a function of the same name; so that either
    spelling works whatever was imported before, the module can be called.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.parse(*args, **kwargs)

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """For the tools whose records are only read within their file."""
        tool = self.__name__.split(".")[-2]
        return import_module(f"{DOOR}.parsing").parse_message(tool, *args, **kwargs)
