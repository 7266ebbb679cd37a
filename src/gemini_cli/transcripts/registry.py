"""The seam a coding CLI plugs into: who loads its sessions, runs it, finds its binary.

The built-in loaders are named by module and imported when first asked for, so that the table
costs nothing. It holds no format knowledge and decides no defaults.
"""

from collections.abc import Awaitable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from gemini_cli.transcripts.errors import UnknownToolError
from gemini_cli.transcripts.model import LoadReport, SessionInfo, UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions, SessionQuery


class Found(Struct, frozen=True):
    """One session: the file, folder or database it lies in, and its id where that is known."""

    path: Path
    session_id: str | None = None


class Loader(Protocol):
    """Reads one vendor's stored sessions; `env` is the environment to take homes from."""

    def find(self, query: SessionQuery, env: Mapping[str, str]) -> Found | None:
        """Where the wanted session lies; None when there is none."""

    def iter_messages(
        self, found: Found, options: LoadOptions, report: LoadReport
    ) -> Iterator[UnifiedMessage]:
        """The messages of one session, in order."""

    def list_sessions(self, query: SessionQuery, env: Mapping[str, str]) -> Iterator[SessionInfo]:
        """Cheap descriptions of every session that matches, in any order."""


class Executor(Protocol):
    """Runs the CLI headless; takes the execution options, answers with the result."""

    def __call__(self, options: Any) -> Awaitable[Any]: ...


class Detector(Protocol):
    """Finds the CLI's executable for the given environment."""

    def __call__(self, env: Mapping[str, str]) -> str | None: ...


class ToolEntry(Struct, frozen=True):
    """What is known of one tool. None means: not registered by the caller."""

    name: str
    loader: Loader | None = None
    executor: Executor | None = None
    detector: Detector | None = None


_BUILTIN = ("claude", "codex", "gemini", "cursor", "qwen", "opencode", "copilot")
_registered: dict[str, ToolEntry] = {}


def tool_names() -> tuple[str, ...]:
    """Built-in tools first, then registered ones."""
    return _BUILTIN + tuple(name for name in _registered if name not in _BUILTIN)


def check_tool(tool: object) -> str:
    """The name back when it is known; `UnknownToolError` (a `ValueError`) otherwise."""
    if isinstance(tool, str) and (tool in _BUILTIN or tool in _registered):
        return tool
    raise UnknownToolError(tool)


def register_tool(
    name: str,
    loader: Loader | None = None,
    executor: Executor | None = None,
    detector: Detector | None = None,
) -> None:
    """Add a tool, or replace parts of a known one; a part left out keeps its present value."""
    old = _registered.get(name, ToolEntry(name))
    _registered[name] = ToolEntry(
        name,
        loader or old.loader,
        executor or old.executor,
        detector or old.detector,
    )


def unregister_tool(name: str) -> None:
    """Forget what `register_tool` added; a built-in tool is itself again."""
    _registered.pop(name, None)


def entry_for(tool: str) -> ToolEntry:
    """The registered parts of a known tool (all None for an untouched built-in one)."""
    return _registered.get(check_tool(tool), ToolEntry(tool))


def loader_for(tool: str) -> Loader:
    """The registered loader, else the built-in one."""
    entry = entry_for(tool)
    if entry.loader is not None:
        return entry.loader
    if tool not in _BUILTIN:
        raise UnknownToolError(tool)
    loader: Loader = import_module(f"gemini_cli.transcripts.{tool}.load").LOADER
    return loader
