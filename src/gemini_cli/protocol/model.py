"""The port to a language model: one request in, a stream of chunks out.

`engine/model` implements it for the Gemini service; tests and `--fake-responses` implement
it from files. Retrying a connection happens behind the port and is announced with
`Retried`; repeating an unusable answer is the loop's business.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Message, Part, Usage
from gemini_cli.protocol.session import SessionView

CallRole: TypeAlias = Literal[
    "main",
    "subagent",
    "utility_tool",
    "utility_compressor",
    "utility_summarizer",
    "utility_router",
    "utility_loop_detector",
    "utility_next_speaker",
    "utility_edit_corrector",
    "utility_autocomplete",
    "utility_fast_ack_helper",
    "utility_state_snapshot_processor",
]
"""Why a request is made; statistics and telemetry are kept per role."""


class ModelChoice(msgspec.Struct, frozen=True):
    """Which model answers this step, and who decided so."""

    model: str
    source: str = "default"
    reason: str = ""


class Limits(msgspec.Struct, frozen=True):
    """What fits into a model."""

    input_tokens: int


class ModelRequest(msgspec.Struct, frozen=True):
    """Everything one model call needs.

    `contents` is the usable history in order; the wire drops thoughts, merges neighbours of
    one role and adds the signatures the service insists on. `config` is a flat generation
    config laid over what the model's own configuration says.
    """

    model: str
    contents: tuple[Message, ...]
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    config: JsonObject = {}
    tool_config: JsonObject | None = None
    prompt_id: str = ""
    role: CallRole = "main"
    scope: str | None = None
    """Name of the subagent that asks, for per-agent model settings."""
    is_retry: bool = False
    """The last answer to this very request was unusable."""


class Citation(msgspec.Struct, frozen=True):
    """A source the model leans on."""

    uri: str | None = None
    title: str | None = None


class Chunk(msgspec.Struct, frozen=True):
    """One piece of an answer. Calls come whole and carry their prefixed id."""

    parts: tuple[Part, ...] = ()
    finish: str | None = None
    """The service's finish reason, upper case, on the chunk that carries it."""
    usage: Usage | None = None
    model: str | None = None
    """Which model really answered."""
    response_id: str | None = None
    citations: tuple[Citation, ...] = ()
    grounding: JsonObject | None = None


class Retried(msgspec.Struct, frozen=True):
    """An attempt failed and another follows after a wait. Yielded before the wait."""

    attempt: int
    """Number of the attempt that failed, from 1."""
    max_attempts: int
    delay_ms: int
    error: str
    error_kind: str
    model: str
    latency_ms: int = 0
    status: int | None = None


StreamItem: TypeAlias = Chunk | Retried


class Models(Protocol):
    """Where answers come from."""

    async def choose(self, view: SessionView) -> ModelChoice:
        """The model for the next step of this session."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """The answer as it comes. Raises `ModelError`; closing the generator closes the request.

        Nothing is sent before the first item is asked for.
        """
        ...

    async def ask(
        self,
        alias: str,
        contents: Sequence[Message],
        *,
        system: str = "",
        schema: JsonObject | None = None,
        role: CallRole = "utility_tool",
    ) -> JsonValue:
        """A utility question: text, or an object when `schema` is given."""
        ...

    async def count(self, model: str, contents: Sequence[Message]) -> int:
        """How many tokens these contents are."""
        ...

    def limits(self, model: str) -> Limits:
        """What fits into this model."""
        ...

    async def aclose(self) -> None:
        """Lets connections go."""
        ...
