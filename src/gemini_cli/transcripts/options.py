"""The choices a caller has when a session is loaded, and where to look for it.

Every default follows the shipped behaviour of the unified format; each option is one named
departure from it. Values only: nothing here touches the disk.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

MIB = 1024 * 1024


class LoadOptions(Struct, frozen=True, kw_only=True):
    """How to read. All loaders honour the options that mean something for their source."""

    strict: bool = False
    """Raise `SessionNotFoundError` instead of returning an empty list."""
    compat: Literal["sdk"] | None = None
    """`sdk`: the TypeScript SDK's output, its omissions included (see the README)."""
    result_layout: Literal["inline", "claude"] = "inline"
    """`claude`: tool results move into a following user message, as Claude stores them."""
    order: Literal["seed", "chronological"] = "seed"
    """`chronological`: text before the tool calls; the default is thinking, calls, text."""
    dedupe_usage: bool = False
    """Keep `usage` on the last line of each response only, so that sums are right."""
    branch: Literal["active", "all"] = "active"
    """`all`: every user and assistant line, abandoned branches and sub-agents included."""
    include_meta: bool = False
    """Keep injected context and notices that nobody typed; they carry `is_meta`."""
    include_sidechains: bool = False
    """Keep sub-agent lines that are stored inside the session."""
    shell_exit_is_error: bool = False
    """Gemini: a shell result that states a non-zero exit code counts as an error."""
    strip_untrusted: bool = False
    """Gemini: take the `<untrusted_context>` wrapper off tool results."""
    images: Literal["keep", "drop", "ref"] = "keep"
    """What to do with inline base64 data, in `original` too (to save memory)."""
    max_file_bytes: int = 512 * MIB
    """Upper size for formats that are one JSON object and must be held at once."""
    max_line_bytes: int = 64 * MIB
    """A longer line is dropped and counted in the report."""
    mcp_servers: tuple[str, ...] = ()
    """Known MCP server names, to split `mcp_<server>_<tool>` at the right underscore."""
    follow: bool = False
    """`iter_messages` goes on at the end of the file and yields what is appended."""
    poll_seconds: float = 0.25
    """How often `follow` looks at the file."""
    env: Mapping[str, str] | None = None
    """The environment that names homes and stores; None means the process's own."""


class SessionQuery(Struct, frozen=True, kw_only=True):
    """Which session is wanted. The most precise field that is set wins: path, id, project."""

    session_id: str | None = None
    project_path: str | None = None
    session_path: str | None = None
    include_exec: bool = False
    """Listing Codex: also runs started by `codex exec`."""
    include_archived: bool = False
    """Listing OpenCode and Codex: also archived sessions."""
