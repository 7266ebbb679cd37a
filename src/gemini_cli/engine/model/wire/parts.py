"""One part of a message, into the service's JSON and back.

Parts the product has no type for pass through untouched as `Opaque`; nothing is thrown
away here, that is the business of `contents`.
"""

import base64
import binascii
from collections.abc import Mapping

from gemini_cli.engine.model.reading import read_json
from gemini_cli.protocol.ids import unprefixed
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Blob, Call, Opaque, Part, Reply, Text

BLANK_NAME = "generic_tool"
"""What a call without a name is called."""

MEDIA = frozenset({"inlineData", "fileData"})
"""Parts no guess can weigh."""

_TEXT_KEYS = {"text", "thought", "thoughtSignature"}
_DATA_KEYS = {
    "functionCall", "functionResponse", "inlineData", "fileData", "executableCode",
    "codeExecutionResult",
}  # fmt: skip
_REPLY_KEYS = {"functionResponse"}
_RESPONSE_KEYS = {"id", "name", "response", "parts"}


def text_to_wire(part: Text) -> JsonObject:
    """An empty text leaves only its signature behind."""
    wire: JsonObject = {"text": part.text} if part.text else {}
    return _signed(wire, part.signature)


def blob_to_wire(part: Blob) -> JsonObject:
    """Inline bytes, or the address of a file."""
    if part.uri is not None:
        return _signed({"fileData": {"mimeType": part.mime, "fileUri": part.uri}}, part.signature)
    data = base64.b64encode(part.data or b"").decode("ascii")
    return _signed({"inlineData": {"mimeType": part.mime, "data": data}}, part.signature)


def call_to_wire(part: Call) -> JsonObject:
    """The call under the id the service knows."""
    wire = {"id": unprefixed(part.name, part.id), "name": part.name, "args": part.args}
    return _signed({"functionCall": wire}, part.signature)


def reply_to_wire(part: Reply, nested: list[JsonObject], note: str = "") -> JsonObject:
    """The reply; `nested` are its binary parts where the model takes them inside."""
    texts = [p.text for p in part.parts if isinstance(p, Text)]
    binaries = len(part.parts) - len(texts)
    text = "\n".join(texts)
    if not texts and binaries:
        text = f"[{binaries} attachment{'s' if binaries > 1 else ''}, no text]"
    if note:
        text = f"{text}\n{note}" if text else note
    response: JsonObject = {
        "id": unprefixed(part.name, part.call_id),
        "name": part.name,
        "response": {"error" if part.is_error else "output": text},
    }
    if nested:
        response["parts"] = nested
    return {"functionResponse": response}


def part_from_wire(raw: JsonObject) -> Part:
    """Reads any part; ids stay as they are, see `response` for giving and prefixing them.

    Words and calls are read whatever else the service says about them.
    """
    keys = raw.keys()
    if _is_text(raw):
        text = raw.get("text")
        return Text(
            text if isinstance(text, str) else "",
            thought=raw.get("thought") is True,
            signature=signature_of(raw),
        )
    found: Part | None = None
    if isinstance(raw.get("functionCall"), Mapping):
        found = _call(raw)
    elif isinstance(raw.get("functionResponse"), Mapping) and keys <= _REPLY_KEYS:
        found = _reply(raw["functionResponse"])
    elif keys <= {"inlineData", "thoughtSignature"} or keys <= {"fileData", "thoughtSignature"}:
        found = _blob(raw)
    return found or Opaque(raw)


def call_name(value: JsonValue) -> str:
    """The name of a call; a blank one gets a name a tool registry can refuse by."""
    return value if isinstance(value, str) and value.strip() else BLANK_NAME


def signature_of(raw: JsonObject) -> str | None:
    """The thought signature of a part, if it carries one."""
    value = raw.get("thoughtSignature")
    return value if isinstance(value, str) and value else None


def _is_text(raw: JsonObject) -> bool:
    text = raw.get("text")
    if raw.keys() <= _TEXT_KEYS:
        return isinstance(text, str) or "thoughtSignature" in raw
    return isinstance(text, str) and bool(text) and not raw.keys() & _DATA_KEYS


def _signed(wire: JsonObject, signature: str | None) -> JsonObject:
    if signature:
        wire["thoughtSignature"] = signature
    return wire


def _call(raw: JsonObject) -> Call:
    call = raw["functionCall"]
    call_id = call.get("id")
    return Call(
        id=call_id if isinstance(call_id, str) else "",
        name=call_name(call.get("name")),
        args=_args(call.get("args")),
        signature=signature_of(raw),
    )


def _args(value: JsonValue) -> JsonObject:
    """Arguments are an object; anything else is kept where a tool can complain about it."""
    if isinstance(value, str):
        try:
            value = read_json(value)
        except ValueError:
            return {"value": value}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"value": value}


def _reply(response: JsonObject) -> Reply | None:
    """A reply in the shape we write ourselves; any other shape stays opaque."""
    body, name, call_id = response.get("response"), response.get("name"), response.get("id", "")
    if not isinstance(name, str) or not isinstance(call_id, str):
        return None
    if not isinstance(body, dict) or len(body) != 1 or not response.keys() <= _RESPONSE_KEYS:
        return None
    key, text = next(iter(body.items()))
    if key not in ("output", "error") or not isinstance(text, str):
        return None
    parts: list[Text | Blob] = [Text(text)]
    for nested in response.get("parts") or []:
        blob = _blob(nested)
        if blob is None:
            return None
        parts.append(blob)
    return Reply(call_id, name, tuple(parts), is_error=key == "error")


def _blob(raw: JsonValue) -> Blob | None:
    if not isinstance(raw, dict):
        return None
    inline, file = raw.get("inlineData"), raw.get("fileData")
    if isinstance(inline, dict) and inline.keys() == {"mimeType", "data"}:
        data = _decoded(inline["data"])
        if data is not None and isinstance(inline["mimeType"], str):
            return Blob(inline["mimeType"], data, signature=signature_of(raw))
    if isinstance(file, dict) and file.keys() == {"mimeType", "fileUri"}:
        mime, uri = file["mimeType"], file["fileUri"]
        if isinstance(mime, str) and isinstance(uri, str):
            return Blob(mime, uri=uri, signature=signature_of(raw))
    return None


def _decoded(value: JsonValue) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
