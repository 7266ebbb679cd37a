"""The one message shape every coding CLI's session is turned into: Claude's, a little wider.

Plain frozen data with the few questions one asks of it. Nothing here reads files or knows
a vendor's format; JSON keys and styles are the business of `codec`.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

KnownTool: TypeAlias = Literal["claude", "codex", "gemini", "cursor", "qwen", "opencode", "copilot"]
Role: TypeAlias = Literal["user", "assistant", "system"]


class Base64Source(Struct, frozen=True):
    """Inline bytes, base64 as the source had them."""

    type: ClassVar[Literal["base64"]] = "base64"
    data: str
    media_type: str = "image/png"


class UrlSource(Struct, frozen=True):
    """Bytes that live elsewhere: an address or a file URI."""

    type: ClassVar[Literal["url"]] = "url"
    url: str
    media_type: str | None = None


class RefSource(Struct, frozen=True):
    """Stands for inline bytes that were left in the session file (`images="ref"`)."""

    type: ClassVar[Literal["ref"]] = "ref"
    sha256: str
    size: int
    media_type: str = "image/png"
    path: str | None = None


Source: TypeAlias = Base64Source | UrlSource | RefSource


class TextBlock(Struct, frozen=True):
    """Words, of the person or the model."""

    type: ClassVar[Literal["text"]] = "text"
    text: str


class ThinkingBlock(Struct, frozen=True):
    """Reasoning. `signature` and `data` (a redacted thought) are kept for sending back."""

    type: ClassVar[Literal["thinking"]] = "thinking"
    thinking: str
    signature: str | None = None
    data: str | None = None


class ToolUseBlock(Struct, frozen=True):
    """One tool call, name and input in Claude's vocabulary."""

    type: ClassVar[Literal["tool_use"]] = "tool_use"
    id: str
    name: str
    input: JsonObject


class ImageBlock(Struct, frozen=True):
    """A picture."""

    type: ClassVar[Literal["image"]] = "image"
    source: Source


class DocumentBlock(Struct, frozen=True):
    """A PDF or other inline data that is not a picture."""

    type: ClassVar[Literal["document"]] = "document"
    source: Source


class SlashCommandBlock(Struct, frozen=True):
    """A slash command the person typed; `command` keeps its leading `/`."""

    type: ClassVar[Literal["slash_command"]] = "slash_command"
    command: str
    message: str | None = None
    args: str | None = None


class UnknownBlock(Struct, frozen=True):
    """A block of a type we do not know, passed through whole so that nothing is lost."""

    type: str
    raw: JsonValue


class ToolResultBlock(Struct, frozen=True):
    """The answer to one tool call: a str, or blocks when it holds pictures or documents."""

    type: ClassVar[Literal["tool_result"]] = "tool_result"
    tool_use_id: str
    content: "str | list[UnifiedContent]"
    is_error: bool = False


UnifiedContent: TypeAlias = (
    TextBlock
    | ThinkingBlock
    | ToolUseBlock
    | ToolResultBlock
    | SlashCommandBlock
    | ImageBlock
    | DocumentBlock
    | UnknownBlock
)


class NormalizedUsage(NamedTuple):
    """Disjoint parts of one request's tokens, comparable between sources."""

    uncached_input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int


# Does `input` already contain the cached tokens, does `output` contain the reasoning?
_BASIS: dict[str, tuple[bool, bool]] = {
    "gemini": (True, False),
    "qwen": (True, False),
    "claude": (False, True),
    "codex": (True, True),
    "opencode": (False, False),
    "copilot": (True, True),
    "cursor": (False, True),
}


class Usage(Struct, frozen=True):
    """Token numbers exactly as the source gives them; `basis` names whose habits they follow.

    `basis` is a tool's name, decides what `normalized` subtracts, and is not written to JSON.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cache_creation_tokens: int | None = None
    cache_read_tokens: int | None = None
    reasoning_tokens: int | None = None
    tool_tokens: int | None = None
    basis: str = "claude"

    def normalized(self) -> NormalizedUsage:
        """Parts that do not overlap. Tool-prompt tokens count as input that was not cached."""
        holds_cache, holds_reasoning = _BASIS.get(self.basis, (False, True))
        read, write = self.cache_read_tokens or 0, self.cache_creation_tokens or 0
        reasoning = self.reasoning_tokens or 0
        fresh = self.input_tokens - (read if holds_cache else 0)
        output = self.output_tokens - (reasoning if holds_reasoning else 0)
        return NormalizedUsage(
            max(0, fresh) + (self.tool_tokens or 0), read, write, max(0, output), reasoning
        )


class UnifiedMessage(Struct, frozen=True):
    """One message of a session. `original` is the vendor's own record, untouched."""

    id: str
    role: Role
    content: "str | list[UnifiedContent]"
    timestamp: int
    tool: str
    model: str | None = None
    usage: Usage | None = None
    original: JsonValue = None
    session_id: str | None = None
    parent_id: str | None = None
    is_sidechain: bool = False
    agent_id: str | None = None
    is_meta: bool = False

    @property
    def blocks(self) -> Sequence[UnifiedContent]:
        """The content as blocks, whatever form it has."""
        if isinstance(self.content, str):
            return [TextBlock(self.content)] if self.content else []
        return self.content


class SessionInfo(Struct, frozen=True, kw_only=True):
    """What a list shows of a session without loading it. Times are Unix milliseconds."""

    tool: str
    id: str
    path: str
    title: str
    first_prompt: str | None = None
    project_path: str | None = None
    created_at: int = 0
    updated_at: int = 0
    message_count: int | None = None
    size: int = 0
    git_branch: str | None = None
    model: str | None = None
    is_current: bool = False
    parent_id: str | None = None

    @property
    def heading(self) -> str:
        """The title for people: with all its letters where a tool's own has only the ASCII ones."""
        prompt = self.first_prompt or ""
        kept = "".join(c for c in prompt if c.isascii()).strip()
        return prompt if kept and self.title.startswith(kept) else self.title


class LoadReport(Struct):
    """What loading left out, filled in while it goes on. The only mutable type here."""

    lines: int = 0
    bad_lines: int = 0
    oversized_lines: int = 0
    torn_tail: bool = False
    skipped: int = 0
