"""What a face may ask of a session.

Prompts and what replaces the history wait their turn in the inbox; everything else takes
effect at once.
"""

from typing import Literal, TypeAlias

import msgspec

from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Message, Part
from gemini_cli.protocol.mode import Mode

Delivery: TypeAlias = Literal["queue", "steer", "replace"]


class Prompt(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Words of a person: queued while busy, joined at the next step, or replacing the turn."""

    parts: tuple[Part, ...]
    display: str | None = None
    delivery: Delivery = "queue"
    prompt_id: str = ""


class AnswerAsk(msgspec.Struct, frozen=True, tag="Answer", omit_defaults=True):
    """The answer to an open ask."""

    ask_id: str
    choice: str
    content: JsonObject | None = None
    by: str = "person"


class Cancel(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Stops the running turn; queued prompts stay unless `queued` says so."""

    reason: str = "user"
    queued: bool = False


class RunCall(msgspec.Struct, frozen=True, tag="Call", omit_defaults=True):
    """One tool call through the same gate, outside the conversation."""

    name: str
    args: JsonObject
    call_id: str = ""


class CallInput(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Something for a running call: keys, a new size, off to the background, or the end."""

    call_id: str
    data: bytes | None = None
    size: tuple[int, int] | None = None
    action: Literal["background", "kill"] | None = None


class Shell(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The person's own command line."""

    command: str


class SetMode(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Goes on in another approval mode."""

    mode: Mode


class SetModel(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Goes on with another model."""

    model: str


class Compact(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Puts a summary in place of the older history."""


class Clear(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Starts over under a new id."""

    session_id: str = ""


class Rewind(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Drops this message and everything behind it."""

    message_id: str


class LoadHistory(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Puts these messages in place of the history."""

    messages: tuple[Message, ...]


class AddRoot(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A further folder to work in."""

    path: str


class Close(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Ends the session."""

    reason: str = "exit"


Op: TypeAlias = (
    Prompt
    | AnswerAsk
    | Cancel
    | RunCall
    | CallInput
    | Shell
    | SetMode
    | SetModel
    | Compact
    | Clear
    | Rewind
    | LoadHistory
    | AddRoot
    | Close
)
