"""What a caller may ask of a headless run, for every CLI at once.

An option that a CLI does not have is reported as a note of the result, never dropped in silence.
Values only: nothing here starts or looks for anything.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.transcripts.model import UnifiedMessage
from gemini_cli.transcripts.options import LoadOptions

PermissionMode: TypeAlias = Literal[
    "default", "plan", "acceptEdits", "bypassPermissions", "dontAsk", "auto"
]
PERMISSION_MODES: tuple[PermissionMode, ...] = (
    "default",
    "plan",
    "acceptEdits",
    "bypassPermissions",
    "dontAsk",
    "auto",
)


class ToolSettings(Struct, frozen=True, kw_only=True):
    """Claude: which of its tools may run without asking, and which not at all."""

    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()


class Delta(Struct, frozen=True):
    """A piece of text as it arrives, before its message is closed."""

    kind: Literal["text", "thinking"]
    text: str
    message_id: str


class StreamEvent(Struct, frozen=True):
    """One line of the CLI's output: as text, as JSON, and the messages it closed."""

    raw: str
    event: JsonObject
    messages: tuple[UnifiedMessage, ...] = ()

    @property
    def message(self) -> UnifiedMessage | None:
        """The last message this event closed."""
        return self.messages[-1] if self.messages else None


class Output(Struct, frozen=True):
    """Everything stdout has said so far, for `on_stdout`. The lists go on growing."""

    parts: list[str]
    events: list[JsonObject]
    messages: list[UnifiedMessage]

    @property
    def raw(self) -> str:
        """The text of stdout from its beginning."""
        return "".join(self.parts)


class ExecuteOptions(Struct, frozen=True, kw_only=True):
    """One headless run of `tool` with `prompt`."""

    tool: str
    prompt: str
    working_dir: str | Path | None = None
    timeout: float | None = None
    """Milliseconds; None waits for ever."""
    kill_timeout: int = 5000
    """Milliseconds between TERM and KILL when the run is ended early."""
    verbose: bool = False
    """Ask the CLI for its own diagnostics on stderr, where it has a flag for that."""
    json: bool = False
    """`data` is the JSON value in the answer instead of its text."""
    session_id: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    resume: bool | str = False
    """An id, or True for `session_id` or, without one, the latest session."""
    continue_: bool = False
    """Go on with the latest session of the folder."""
    append_system_prompt: str | None = None
    system_prompt: str | None = None
    mcp_config: tuple[str, ...] = ()
    mcp_servers: tuple[str, ...] = ()
    """Known MCP server names, to split `mcp_<server>_<tool>` at the right underscore."""
    dangerously_skip_permissions: bool = False
    streaming: bool = True
    """False: Claude prints its whole answer at the end instead of event by event."""
    tool_settings: ToolSettings = ToolSettings()
    images: tuple[str | Path, ...] = ()
    skip_trust: bool = True
    """Gemini: run although nobody has trusted the folder yet."""
    env: Mapping[str, str] | None = None
    """The child's whole environment; None hands down our own."""
    extra_env: Mapping[str, str] = {}
    """Variables on top of `env`."""
    extra_args: tuple[str, ...] = ()
    """Further flags, put before the prompt."""
    cli_path: str | None = None
    """The executable; None looks for it as `detect_cli` does."""
    prefer: Literal["path", "self"] = "path"
    """`self`: for gemini, run this product instead of the one that is installed."""
    hydrate: bool = False
    """Replace the streamed messages by those of the session file, which knows more."""
    load_options: LoadOptions = LoadOptions()
    """How `hydrate` reads the session."""
    compat: Literal["sdk"] | None = None
    """`sdk`: `on_stdout` receives raw chunks instead of what has been understood so far."""
    on_start: Callable[[asyncio.subprocess.Process], None] | None = None
    on_event: Callable[[StreamEvent], None] | None = None
    on_delta: Callable[[Delta], None] | None = None
    on_stdout: Callable[[Output | str], None] | None = None
    on_stderr: Callable[[str], None] | None = None
    on_error: Callable[[Exception], None] | None = None
    on_close: Callable[[int], None] | None = None

    def for_tool(self, tool: str) -> "ExecuteOptions":
        """The same run with another tool."""
        return replace(self, tool=tool)
