"""The service's answer, piece by piece, as the product's chunks.

Calls get an id where the service gave none and carry their prefixed name; a signature that
came only on a thought moves to the first call, because thoughts are never sent back. Of
several candidates only the first is read. Fields of an unexpected type are passed over.
"""

from collections.abc import Callable

import msgspec

from gemini_cli.engine.model.quoting import one_line
from gemini_cli.engine.model.wire.parts import call_name, part_from_wire
from gemini_cli.protocol.errors import Blocked
from gemini_cli.protocol.ids import prefixed
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Call, Part, Text, Usage
from gemini_cli.protocol.model import Chunk, Citation

_MOST_TOKENS = 10**12


class AnswerReader:
    """Reads the pieces of one answer in order."""

    def __init__(self, new_id: Callable[[str], str], model: str) -> None:
        self._new_id = new_id
        self._model = model
        self._thought_signature: str | None = None
        self._saw_call = False
        self._saw_candidate = False
        self._citations: set[tuple[str, str]] = set()

    def chunk(self, raw: JsonObject) -> Chunk:
        """One piece. Raises `Blocked` when the service refused the prompt."""
        candidates = _objects(raw.get("candidates"))
        self._refuse_blocked(raw, bool(candidates))
        first = candidates[0] if candidates else {}
        finish = next((f for c in candidates if (f := _text(c.get("finishReason")))), None)
        self._note_citations(first)
        return Chunk(
            parts=self._parts(first),
            finish=finish,
            usage=_usage(raw.get("usageMetadata")),
            model=_text(raw.get("modelVersion")),
            response_id=_text(raw.get("responseId")),
            citations=self._take_citations() if finish else (),
            grounding=_object(first.get("groundingMetadata")) or None,
        )

    def _parts(self, candidate: JsonObject) -> tuple[Part, ...]:
        found = _objects(_object(candidate.get("content")).get("parts"))
        return tuple(self._part(part_from_wire(raw)) for raw in found if raw)

    def _part(self, part: Part) -> Part:
        if isinstance(part, Text) and part.thought:
            self._thought_signature = part.signature or self._thought_signature
        if not isinstance(part, Call):
            return part
        signature = part.signature
        if not self._saw_call and signature is None:
            signature = self._thought_signature
        self._saw_call = True
        call_id = prefixed(part.name, part.id or self._new_id(part.name))
        return msgspec.structs.replace(part, id=call_id, signature=signature)

    def _refuse_blocked(self, raw: JsonObject, has_candidate: bool) -> None:
        self._saw_candidate = self._saw_candidate or has_candidate
        feedback = _object(raw.get("promptFeedback"))
        reason = _text(feedback.get("blockReason"))
        if reason and not self._saw_candidate:
            said = one_line(_text(feedback.get("blockReasonMessage")) or "")
            raise Blocked(
                f"{self._model} refused the prompt: {one_line(reason)}"
                f"{f' ({said})' if said else ''}. "
                "Put it differently, or take what it objects to out of the conversation.",
                reason=reason,
                model=self._model,
            )

    def _note_citations(self, candidate: JsonObject) -> None:
        for found in _objects(_object(candidate.get("citationMetadata")).get("citations")):
            pair = (_text(found.get("title")) or "", _text(found.get("uri")) or "")
            if any(pair):
                self._citations.add(pair)

    def _take_citations(self) -> tuple[Citation, ...]:
        found, self._citations = sorted(self._citations), set()
        return tuple(Citation(uri=uri or None, title=title or None) for title, uri in found)


def name_calls(raw: JsonObject, new_id: Callable[[str], str]) -> JsonObject:
    """The piece with every call under its prefixed id, as recordings show it."""
    for candidate in _objects(raw.get("candidates")):
        for part in _objects(_object(candidate.get("content")).get("parts")):
            call = part.get("functionCall")
            if isinstance(call, dict):
                name = call_name(call.get("name"))
                call["id"] = prefixed(name, _text(call.get("id")) or new_id(name))
    return raw


def _usage(value: JsonValue) -> Usage | None:
    raw = _object(value)
    if not raw:
        return None
    return Usage(
        input=_count(raw.get("promptTokenCount")),
        output=_count(raw.get("candidatesTokenCount")),
        cached=_count(raw.get("cachedContentTokenCount")),
        thoughts=_count(raw.get("thoughtsTokenCount")),
        tool=_count(raw.get("toolUsePromptTokenCount")),
        total=_count(raw.get("totalTokenCount")),
    )


def _count(value: JsonValue) -> int:
    """A number of tokens; what cannot be one counts as none."""
    fits = isinstance(value, int | float) and 0 <= value <= _MOST_TOKENS
    return int(value) if fits else 0


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
