"""What a person is shown of a tool: results, and previews of what is about to happen.

Displays are data with no styling; each face renders them its own way. They are kept apart
from what the model reads (`ToolResult.for_model`).
"""

from typing import Literal, TypeAlias

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject


class PlainText(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Words, perhaps Markdown."""

    text: str
    markdown: bool = False


class DiffStat(msgspec.Struct, frozen=True, omit_defaults=True):
    """Size of a change; the person's share is what they edited in the proposal."""

    model_added_lines: int = 0
    model_removed_lines: int = 0
    model_added_chars: int = 0
    model_removed_chars: int = 0
    user_added_lines: int = 0
    user_removed_lines: int = 0
    user_added_chars: int = 0
    user_removed_chars: int = 0


class FileDiff(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """One file before and after, with the patch between."""

    path: str
    name: str
    patch: str
    original: str | None
    new: str
    stat: DiffStat = DiffStat()
    is_new: bool = False


class Terminal(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Output of a command, escape sequences and all."""

    text: str
    exit_code: int | None = None


class Todo(msgspec.Struct, frozen=True):
    """One line of a task list."""

    description: str
    status: Literal["pending", "in_progress", "completed", "cancelled", "blocked"]


class TodoList(msgspec.Struct, frozen=True, tag=True):
    """The whole task list; each one replaces the last."""

    todos: tuple[Todo, ...]


class Listing(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Matches or files with a one-line summary."""

    summary: str
    items: tuple[str, ...] = ()


class Headline(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A topic or progress line that stands by itself."""

    title: str
    text: str = ""


class AgentProgress(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """What a subagent has been doing."""

    agent: str
    lines: tuple[str, ...] = ()
    state: Literal["running", "completed", "failed", "cancelled"] = "running"


class Custom(msgspec.Struct, frozen=True, tag=True):
    """A display of somebody else's making, passed through."""

    raw: JsonObject


Display: TypeAlias = (
    PlainText | FileDiff | Terminal | TodoList | Listing | Headline | AgentProgress | Custom
)


class EditPreview(msgspec.Struct, frozen=True, tag=True):
    """A change to a file, to be approved."""

    diff: FileDiff


class CommandPreview(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A command line, to be approved."""

    command: str
    cwd: str
    roots: tuple[str, ...] = ()
    """The programs it would run."""
    warnings: tuple[str, ...] = ()


class McpPreview(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A call to a tool of an MCP server, to be approved."""

    server: str
    tool: str
    args: JsonObject
    description: str = ""


class InfoPreview(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Anything else, to be approved: a fetch, a skill, a plan."""

    text: str
    urls: tuple[str, ...] = ()


Preview: TypeAlias = EditPreview | CommandPreview | McpPreview | InfoPreview


class Location(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file a call touches, so that an editor can follow along."""

    path: str
    line: int | None = None
