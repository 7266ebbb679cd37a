"""Parts of messages as they are stored, and back.

The stored form is the one other programs read: text, inlineData, fileData, functionCall,
functionResponse. What has no type of ours goes through unchanged.
"""

import base64
import binascii
from collections.abc import Iterable

import msgspec

from gemini_cli.ground.formats.session_file import parts_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Blob, Call, Opaque, Part, Reply, Text


def stored_part(part: Part) -> JsonObject:
    """One part as JSON."""
    match part:
        case Text(text=text, thought=thought):
            return {"text": text, "thought": True} if thought else {"text": text}
        case Blob():
            return _stored_blob(part)
        case Call(id=call_id, name=name, args=args):
            return {"functionCall": {"id": call_id, "name": name, "args": args}}
        case Reply():
            return stored_reply(part)
        case Opaque(raw=raw):
            return raw


def stored_reply(reply: Reply) -> JsonObject:
    """A reply as functionResponse, with its pictures and documents inside."""
    text = "\n".join(part.text for part in reply.parts if isinstance(part, Text))
    blobs = [_stored_blob(part) for part in reply.parts if isinstance(part, Blob)]
    response: JsonObject = {
        "id": reply.call_id,
        "name": reply.name,
        "response": {"error" if reply.is_error else "output": text},
    }
    if blobs:
        response["parts"] = blobs
    return {"functionResponse": response}


def read_parts(content: JsonValue) -> tuple[Part, ...]:
    """The parts of stored content, whatever of its forms it has."""
    return tuple(_read_part(raw) for raw in parts_of(content))


def read_reply(raw: JsonObject, others: Iterable[JsonObject] = ()) -> Reply:
    """A functionResponse; `others` are parts stored beside it that belong to it."""
    response = raw.get("response")
    response = response if isinstance(response, dict) else {"output": response}
    failed = "error" in response
    said = [response[key] for key in ("error", "output") if response.get(key) is not None]
    if not said and response:
        said = [response]
    texts = [Text(value if isinstance(value, str) else _json(value)) for value in said]
    nested = raw.get("parts")
    blobs = [*(nested if isinstance(nested, list) else ()), *others]
    parts = (_read_part(blob) for blob in blobs if isinstance(blob, dict))
    kept = [part for part in parts if isinstance(part, Blob)]
    return Reply(_text(raw, "id"), _text(raw, "name"), (*texts, *kept), failed)


def _stored_blob(blob: Blob) -> JsonObject:
    if blob.data is None:
        return {"fileData": {"mimeType": blob.mime, "fileUri": blob.uri or ""}}
    data = base64.b64encode(blob.data).decode("ascii")
    return {"inlineData": {"mimeType": blob.mime, "data": data}}


def _read_part(raw: JsonObject) -> Part:
    if isinstance(raw.get("text"), str):
        return Text(raw["text"], raw.get("thought") is True)
    call, response = raw.get("functionCall"), raw.get("functionResponse")
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        args = call.get("args")
        return Call(_text(call, "id"), call["name"], args if isinstance(args, dict) else {})
    if isinstance(response, dict):
        return read_reply(response)
    return _read_blob(raw) or Opaque(raw)


def _read_blob(raw: JsonObject) -> Blob | None:
    match raw:
        case {"inlineData": {"mimeType": str(mime), "data": str(data)}}:
            try:
                return Blob(mime, base64.b64decode(data, validate=True))
            except (binascii.Error, ValueError):
                return None
        case {"fileData": {"mimeType": str(mime), "fileUri": str(uri)}}:
            return Blob(mime, uri=uri)
        case _:
            return None


def _text(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def _json(value: JsonValue) -> str:
    return msgspec.json.encode(value).decode()
