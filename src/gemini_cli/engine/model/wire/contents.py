"""A history, as the service wants to read it.

Thoughts are left out, empty turns vanish, neighbours of one role become one turn, and calls
of the running tool loop carry the signature the service insists on. The order of these
steps matters: signatures are placed after merging. It never changes the messages.
"""

from collections.abc import Sequence

from gemini_cli.engine.model.wire.parts import (
    blob_to_wire,
    call_to_wire,
    reply_to_wire,
    text_to_wire,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Blob, Call, Message, Opaque, Part, Reply, Text

NO_SIGNATURE = "skip_thought_signature_validator"
"""Told to the service where a signature is wanted and none was kept."""

_MEDIA = ("audio/", "video/")
_READERS = frozenset({"read_file", "read_many_files"})
_MEDIA_FOLLOWS = "The recording that was read comes next."
_MEDIA_DROPPED = "[An audio or video attachment was left out: it cannot be part of a tool reply.]"


def contents_to_wire(messages: Sequence[Message], *, nests_media: bool) -> list[JsonObject]:
    """`nests_media`: this model takes images inside a tool reply, instead of behind it."""
    turns: list[JsonObject] = []
    waiting: list[JsonObject] = []
    for message in messages:
        parts, media = _parts(message, nests_media)
        if parts and message.role == "model":
            _flush(turns, waiting)
        _append(turns, message.role, parts)
        waiting += media
    _flush(turns, waiting)
    _sign_active_loop(turns)
    return turns


def _flush(turns: list[JsonObject], media: list[JsonObject]) -> None:
    """Recordings follow all replies of their turn, which must stay together."""
    if media:
        _append(turns, "model", [{"text": _MEDIA_FOLLOWS}])
        _append(turns, "user", list(media))
        media.clear()


def _parts(message: Message, nests_media: bool) -> tuple[list[JsonObject], list[JsonObject]]:
    """The parts of one turn, and media that must follow in a turn of its own."""
    wire: list[JsonObject] = []
    media: list[JsonObject] = []
    dropped_thought = False
    for part in message.parts:
        if _is_thought(part):
            dropped_thought = True
        elif isinstance(part, Reply):
            _add_reply(part, nests_media, wire, media)
        else:
            wire.append(_part(part))
    wire = [part for part in wire if part]
    if dropped_thought and message.role == "model":
        _sign_first_call(wire)
    return wire, media


def _part(part: Text | Blob | Call | Opaque) -> JsonObject:
    match part:
        case Text():
            return text_to_wire(part)
        case Blob():
            return blob_to_wire(part)
        case Call():
            return call_to_wire(part)
        case Opaque():
            return _without_empty_text(part.raw)


def _add_reply(
    reply: Reply, nests_media: bool, wire: list[JsonObject], media: list[JsonObject]
) -> None:
    blobs = [part for part in reply.parts if isinstance(part, Blob)]
    if not nests_media:
        wire.append(reply_to_wire(reply, []))
        wire.extend(blob_to_wire(blob) for blob in blobs)
        return
    recordings = [blob for blob in blobs if blob.mime.startswith(_MEDIA)]
    nested = [blob_to_wire(blob) for blob in blobs if blob not in recordings]
    if recordings and reply.name in _READERS:
        media.extend(blob_to_wire(blob) for blob in recordings)
        recordings = []
    wire.append(reply_to_wire(reply, nested, _MEDIA_DROPPED if recordings else ""))


def _append(turns: list[JsonObject], role: str, parts: list[JsonObject]) -> None:
    if not parts:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["parts"].extend(parts)
    else:
        turns.append({"role": role, "parts": parts})


def _sign_active_loop(turns: list[JsonObject]) -> None:
    """From the last prompt on, the first call of every model turn must be signed."""
    start = next((i for i in range(len(turns) - 1, -1, -1) if _is_prompt(turns[i])), None)
    if start is None:
        return
    for turn in turns[start + 1 :]:
        if turn["role"] == "model":
            _sign_first_call(turn["parts"])


def _sign_first_call(parts: list[JsonObject]) -> None:
    for index, part in enumerate(parts):
        if "functionCall" in part:
            if not part.get("thoughtSignature"):
                parts[index] = part | {"thoughtSignature": NO_SIGNATURE}
            return


def _is_prompt(turn: JsonObject) -> bool:
    parts = turn["parts"]
    return (
        turn["role"] == "user"
        and any("text" in part for part in parts)
        and not any("functionResponse" in part for part in parts)
    )


def _is_thought(part: Part) -> bool:
    if isinstance(part, Opaque):
        return part.raw.get("thought") is True
    return isinstance(part, Text) and part.thought


def _without_empty_text(raw: JsonObject) -> JsonObject:
    return {k: v for k, v in raw.items() if k != "text"} if raw.get("text") == "" else raw
