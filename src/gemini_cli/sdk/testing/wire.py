"""Turns steps into what the Gemini service would send: chunks, bodies, error objects.

Pure functions; the server decides when and how the result travels.
"""

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from gemini_cli.sdk.testing.request import Request
from gemini_cli.sdk.testing.script import (
    Counts,
    Cut,
    Failure,
    Feedback,
    Finish,
    Malformed,
    Piece,
    Raw,
    Stall,
    Step,
    Tokens,
    Vectors,
    Wanted,
    Words,
)

Json: TypeAlias = dict[str, Any]
Action: TypeAlias = Json | Stall | Cut | Malformed
"""A chunk to send, or something to do instead of sending one."""

_ENDS_OPEN = Cut | Malformed | Failure | Feedback | Raw


def dumps(value: object) -> bytes:
    """Compact JSON as the service writes it; half a character of two is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def actions(step: Step, request: Request) -> list[Action]:
    """The chunks of an answer in order, with stalls and breaks between them.

    The finish reason stands on the chunk before it, or on a chunk of its own after a stall.
    """
    plan: list[Action] = []
    counts = next((p for p in reversed(step.pieces) if isinstance(p, Counts)), None)
    spent = _usage(counts or _estimate(step, request))
    for piece in step.pieces:
        if isinstance(piece, Finish):
            if piece.reason is not None:
                _last_candidate(plan)["finishReason"] = piece.reason
                plan[-1] = {**_chunk(plan[-1]), "usageMetadata": spent}
        else:
            plan += _actions_of(piece)
    if not any(isinstance(p, Finish | _ENDS_OPEN) for p in step.pieces):
        _last_candidate(plan)["finishReason"] = "STOP"
        plan[-1] = {**_chunk(plan[-1]), "usageMetadata": spent}
    elif counts is not None and plan and isinstance(plan[-1], dict):
        plan[-1] = {**plan[-1], "usageMetadata": spent}
    return [_signed(action, request) for action in plan]


def body(step: Step, request: Request) -> Json:
    """The same answer in one piece, for `generateContent`."""
    whole: Json = {}
    parts: list[Json] = []
    for chunk in actions(step, request):
        if isinstance(chunk, dict):
            candidates = chunk.get("candidates") or [{}]
            parts += candidates[0].get("content", {}).get("parts", [])
            merged = {**(whole.get("candidates") or [{}])[0], **candidates[0]}
            whole = {**whole, **chunk}
            if merged:
                whole["candidates"] = [merged]
    if "candidates" in whole:
        whole["candidates"][0]["content"] = {"role": "model", "parts": _joined(parts)}
    return whole


def error_body(failure: Failure) -> Json:
    """The JSON of an error."""
    error: Json = {
        "code": failure.code,
        "message": failure.message,
        "status": failure.status,
    }
    if failure.details:
        error["details"] = [dict(d) for d in failure.details]
    return {"error": error}


def counted(piece: Tokens | Vectors) -> Json:
    """The body for `countTokens` and `batchEmbedContents`."""
    if isinstance(piece, Tokens):
        return {"totalTokens": piece.total}
    return {"embeddings": [{"values": list(v)} for v in piece.values]}


def _actions_of(piece: Piece) -> Iterator[Action]:
    match piece:
        case Words():
            for index, chunk in enumerate(piece.chunks):
                part: Json = {"text": chunk}
                if piece.thought:
                    part["thought"] = True
                if piece.signature and index == len(piece.chunks) - 1:
                    part["thoughtSignature"] = piece.signature
                yield _candidate([part])
        case Wanted():
            call: Json = {"name": piece.name, "args": piece.args}
            if piece.id is not None:
                call["id"] = piece.id
            part = {"functionCall": call}
            if piece.signature:
                part["thoughtSignature"] = piece.signature
            yield _candidate([part])
        case Raw():
            yield json.loads(json.dumps(piece.chunk))
        case Failure():
            yield error_body(piece)
        case Feedback():
            yield {"promptFeedback": {"blockReason": piece.reason, "safetyRatings": []}}
        case Stall() | Cut() | Malformed():
            yield piece
        case _:
            return


def _candidate(parts: list[Json]) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]}


def _last_candidate(plan: list[Action]) -> Json:
    """The candidate of the last chunk; a chunk is added where none stands last."""
    last = plan[-1] if plan else None
    if not (isinstance(last, dict) and last.get("candidates")):
        plan.append(_candidate([]))
    candidate: Json = _chunk(plan[-1])["candidates"][0]
    return candidate


def _chunk(action: Action) -> Json:
    assert isinstance(action, dict)
    return action


def _signed(action: Action, request: Request) -> Action:
    if not isinstance(action, dict) or "error" in action:
        return action
    signed = {"modelVersion": request.model, "responseId": f"scripted-{request.number}"}
    return {**action, **{k: v for k, v in signed.items() if k not in action}}


def _usage(counts: Counts) -> Json:
    total = counts.prompt + counts.output + counts.thoughts + counts.tool
    found: Json = {
        "promptTokenCount": counts.prompt,
        "candidatesTokenCount": counts.output,
        "totalTokenCount": total if counts.total is None else counts.total,
    }
    extra = {
        "cachedContentTokenCount": counts.cached,
        "thoughtsTokenCount": counts.thoughts,
        "toolUsePromptTokenCount": counts.tool,
    }
    return {**found, **{name: value for name, value in extra.items() if value}}


def _estimate(step: Step, request: Request) -> Counts:
    def size(thought: bool) -> int:
        words = sum(
            len("".join(p.chunks))
            for p in step.pieces
            if isinstance(p, Words) and p.thought is thought
        )
        calls = sum(len(dumps(p.args)) for p in step.pieces if isinstance(p, Wanted))
        return (words + (0 if thought else calls) + 3) // 4

    return Counts(len(request.raw) // 4, size(False), thoughts=size(True))


def _joined(parts: list[Json]) -> list[Json]:
    """Neighbouring pieces of one text as one part."""
    found: list[Json] = []
    for part in parts:
        before = found[-1] if found else {}
        joins = (
            "text" in part
            and "text" in before
            and set(part) <= {"text", "thought", "thoughtSignature"}
            and set(before) <= {"text", "thought"}
            and before.get("thought") == part.get("thought")
        )
        if joins:
            found[-1] = {**before, **part, "text": before["text"] + part["text"]}
        else:
            found.append(dict(part))
    return found
