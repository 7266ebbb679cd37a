"""What a conversation is made of: messages of parts, and what they cost.

These are the product's own shapes. `engine/model/wire` turns them into a vendor's JSON
and back; parts it does not know ride along as `Opaque` and survive the round trip.
"""

from typing import Literal, TypeAlias

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject


class Text(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Words of a person or a model. A thought is shown but never sent back."""

    text: str
    thought: bool = False
    signature: str | None = None


class Blob(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """An image, a PDF, a sound: the bytes themselves or where they are."""

    mime: str
    data: bytes | None = None
    uri: str | None = None
    signature: str | None = None


class Call(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A tool call the model asks for."""

    id: str
    name: str
    args: JsonObject
    signature: str | None = None


class Reply(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The answer to a `Call`; every call gets exactly one."""

    call_id: str
    name: str
    parts: tuple["Text | Blob", ...]
    is_error: bool = False


class Opaque(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A part we have no type for, kept as it came."""

    raw: JsonObject


Part: TypeAlias = Text | Blob | Call | Reply | Opaque

Role: TypeAlias = Literal["user", "model"]

Origin: TypeAlias = Literal["person", "context", "hook", "steer", "tool", "notice", "model"]
"""Who put a message into the history: only `person` messages are prompts."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Token counts of one request, as the service reports them (`input` includes `cached`)."""

    input: int = 0
    output: int = 0
    cached: int = 0
    thoughts: int = 0
    tool: int = 0
    total: int = 0


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of the history."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    at: str
    model: str | None = None
    origin: Origin = "person"
    display: str | None = None
    """What the person typed, where `parts` hold an expanded form of it."""
    usage: Usage | None = None


def text_of(parts: tuple[Part, ...], *, thoughts: bool = False) -> str:
    """The words of these parts joined, without thoughts unless asked for."""
    return "".join(p.text for p in parts if isinstance(p, Text) and (thoughts or not p.thought))


def calls_of(parts: tuple[Part, ...]) -> tuple[Call, ...]:
    """The tool calls among these parts, in order."""
    return tuple(p for p in parts if isinstance(p, Call))


def replies_of(parts: tuple[Part, ...]) -> tuple[Reply, ...]:
    """The tool replies among these parts, in order."""
    return tuple(p for p in parts if isinstance(p, Reply))
