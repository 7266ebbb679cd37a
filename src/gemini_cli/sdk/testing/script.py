"""The steps a scripted server plays, and the small words tests write them with.

A script is a list of steps; a step answers one request. Every helper here returns a whole
step, and `answer(...)` joins several into one. Nothing in this module knows HTTP.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from gemini_cli.sdk.testing.request import CONTENT_METHODS, Method, Request

StallPoint: TypeAlias = Literal["first_byte", "mid"]


class Words(Struct, frozen=True, tag=True, omit_defaults=True):
    """Text or a thought; each entry of `chunks` travels in a chunk of its own."""

    chunks: tuple[str, ...]
    thought: bool = False
    signature: str | None = None


class Wanted(Struct, frozen=True, tag=True, omit_defaults=True):
    """A tool call."""

    name: str
    args: dict[str, Any]
    id: str | None = None
    signature: str | None = None


class Finish(Struct, frozen=True, tag=True):
    """The finish reason; None leaves it out, as a broken service would."""

    reason: str | None


class Counts(Struct, frozen=True, tag=True, omit_defaults=True):
    """Token counts as the service reports them."""

    prompt: int = 0
    output: int = 0
    cached: int = 0
    thoughts: int = 0
    tool: int = 0
    total: int | None = None


class Feedback(Struct, frozen=True, tag=True):
    """The prompt was refused and there is no candidate."""

    reason: str


class Stall(Struct, frozen=True, tag=True, omit_defaults=True):
    """Silence: before the first byte or where it stands. Without `seconds` until released."""

    where: StallPoint = "mid"
    seconds: float | None = None


class Cut(Struct, frozen=True, tag=True, omit_defaults=True):
    """The connection breaks here; `inside` breaks it in the middle of a chunk's JSON."""

    inside: bool = False


class Malformed(Struct, frozen=True, tag=True):
    """A chunk that is not JSON."""

    text: str


class Raw(Struct, frozen=True, tag=True):
    """A chunk or body sent as it is, finish reason and all."""

    chunk: dict[str, Any]


class Failure(Struct, frozen=True, tag=True, omit_defaults=True):
    """An error of the service; first in a step it is the HTTP status, later a chunk."""

    code: int
    message: str
    status: str
    details: tuple[dict[str, Any], ...] = ()
    retry_after: str | None = None
    body: str | None = None
    """Sent instead of JSON, the way a proxy in between would."""


class Tokens(Struct, frozen=True, tag=True):
    """The answer to `countTokens`."""

    total: int


class Vectors(Struct, frozen=True, tag=True):
    """The answer to `batchEmbedContents`, one vector per text."""

    values: tuple[tuple[float, ...], ...]


Piece: TypeAlias = (
    Words
    | Wanted
    | Finish
    | Counts
    | Feedback
    | Stall
    | Cut
    | Malformed
    | Raw
    | Failure
    | Tokens
    | Vectors
)


class Step(Struct, frozen=True, omit_defaults=True):
    """What one request is answered with, and which methods it may answer."""

    pieces: tuple[Piece, ...]
    methods: tuple[Method, ...] = CONTENT_METHODS
    repeats: bool = False

    @property
    def title(self) -> str:
        """A short description for failure messages."""
        kinds = " + ".join(_title(piece) for piece in self.pieces) or "empty"
        only = "" if self.methods == CONTENT_METHODS else f" on {'/'.join(self.methods)}"
        return kinds + only


Entry: TypeAlias = Step | Callable[[Request], Step]
"""A step, or a function that makes one from the request it is to answer."""

Script: TypeAlias = Sequence[Entry]


def text(*chunks: str, signature: str | None = None) -> Step:
    """Words of the model, one streamed chunk per argument."""
    return Step((Words(chunks, signature=signature),))


def thought(*chunks: str, signature: str | None = None) -> Step:
    """A thought summary. Alone it makes a thinking-only answer."""
    return Step((Words(chunks, thought=True, signature=signature),))


def call(
    name: str,
    args: Mapping[str, Any] | None = None,
    *,
    id: str | None = None,
    signature: str | None = None,
) -> Step:
    """A tool call."""
    return Step((Wanted(name, dict(args or {}), id, signature),))


def answer(*steps: Step) -> Step:
    """Several helpers' steps as one answer: `answer(thought("…"), text("…"), call("ls"))`."""
    methods = next((s.methods for s in steps if s.methods != CONTENT_METHODS), CONTENT_METHODS)
    return Step(tuple(piece for step in steps for piece in step.pieces), methods)


def json_text(value: Any) -> Step:
    """A JSON document as text, for utility requests that ask for a schema."""
    return text(json.dumps(value, ensure_ascii=False))


def finish(reason: str | None) -> Step:
    """The finish reason instead of `STOP`; None sends none at all."""
    return Step((Finish(reason),))


def usage(
    prompt: int = 0,
    output: int = 0,
    *,
    cached: int = 0,
    thoughts: int = 0,
    tool: int = 0,
    total: int | None = None,
) -> Step:
    """Exact token counts; without it they are estimated from the sizes of request and answer."""
    return Step((Counts(prompt, output, cached, thoughts, tool, total),))


def empty() -> Step:
    """An answer that finishes without a word."""
    return Step(())


def blocked(reason: str = "SAFETY") -> Step:
    """The prompt was refused: `promptFeedback` and no candidate."""
    return Step((Feedback(reason),))


def stall(where: StallPoint = "mid", *, seconds: float | None = None) -> Step:
    """Silence. After `seconds` the answer goes on; without, it lasts until the client leaves
    or the test calls `server.release()`."""
    return Step((Stall(where, seconds),))


def cut(*, inside: bool = False) -> Step:
    """The connection breaks off at this point of the answer."""
    return Step((Cut(inside),))


def malformed(chunk: str = '{"candidates": [{"content": {"parts": [{"text": "bro') -> Step:
    """A complete event whose payload is not JSON."""
    return Step((Malformed(chunk),))


def raw(*chunks: Mapping[str, Any]) -> Step:
    """Chunks sent exactly as given; nothing is added to them."""
    return Step(tuple(Raw(dict(chunk)) for chunk in chunks))


def tokens(total: int) -> Step:
    """Answers `countTokens`."""
    return Step((Tokens(total),), ("countTokens",))


def embedding(*vectors: Sequence[float]) -> Step:
    """Answers `batchEmbedContents`."""
    return Step((Vectors(tuple(tuple(v) for v in vectors)),), ("batchEmbedContents",))


_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_RPC = "type.googleapis.com/google.rpc."


def error(
    code: int,
    message: str | None = None,
    *,
    status: str | None = None,
    retry: str | None = None,
    retry_after: str | int | None = None,
    quota: str | None = None,
    reason: str | None = None,
    domain: str = "googleapis.com",
    metadata: Mapping[str, str] | None = None,
    details: Sequence[Mapping[str, Any]] = (),
    body: str | None = None,
) -> Step:
    """An error of the service.

    `retry="3s"` adds RetryInfo, `retry_after` the HTTP header, `quota` a QuotaFailure with that
    quota id (`…PerDay…` is a daily one), `reason` an ErrorInfo. `body` replaces the JSON.
    """
    if not 400 <= code <= 599:
        raise ValueError(f"error({code}): an HTTP error status is 400 to 599")
    name = status or _STATUS.get(code, "UNKNOWN")
    found: list[dict[str, Any]] = [dict(d) for d in details]
    if quota:
        violation = {"quotaMetric": "generate_content_requests", "quotaId": quota}
        found.append({"@type": _RPC + "QuotaFailure", "violations": [violation]})
    if reason:
        info = {"reason": reason, "domain": domain, "metadata": dict(metadata or {})}
        found.append({"@type": _RPC + "ErrorInfo", **info})
    if retry:
        found.append({"@type": _RPC + "RetryInfo", "retryDelay": retry})
    after = None if retry_after is None else str(retry_after)
    words = message or f"scripted {name.lower().replace('_', ' ')}"
    return Step((Failure(code, words, name, tuple(found), after, body),))


def on(method: Method, step: Step) -> Step:
    """Keeps a step for one method, such as `generateContent` for utility requests."""
    return replace(step, methods=(method,))


def always(step: Step) -> Step:
    """A step that is never used up; what stands before it is played first."""
    return replace(step, repeats=True)


def _title(piece: Piece) -> str:
    match piece:
        case Words():
            words = "".join(piece.chunks)
            shown = words if len(words) <= 40 else words[:37] + "…"
            return f"{'thought' if piece.thought else 'text'}({shown!r})"
        case Wanted():
            return f"call({piece.name})"
        case Failure():
            return f"error({piece.code})"
        case _:
            return type(piece).__name__.lower()
