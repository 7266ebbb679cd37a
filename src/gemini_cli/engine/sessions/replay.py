"""Turns stored records back into the messages of a conversation.

Whatever a file holds, the result is balanced: every call has one reply, behind it. Replies
that were stored twice come once. Notices are for people and are left out.
"""

from collections.abc import Iterable, Sequence

from gemini_cli.engine.sessions.parts import read_parts, read_reply
from gemini_cli.ground.formats.session_file import is_context, text_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue
from gemini_cli.protocol.messages import Call, Message, Origin, Part, Reply, Text, Usage, replies_of

LOST = "The result of this call was lost when the program ended."


def messages_of(records: Iterable[JsonObject]) -> tuple[Message, ...]:
    """The conversation these records hold."""
    history: list[Message] = []
    owed: dict[str, Reply] = {}
    owner = ""
    for record in records:
        kind, name = record.get("type"), _string(record, "id")
        if kind == "user":
            message = _user(record)
            given = tuple(r for r in replies_of(message.parts) if r.call_id in owed)
            for reply in given:
                del owed[reply.call_id]
            rest = tuple(part for part in message.parts if not isinstance(part, Reply))
            if given and owed:
                given = (*given, *owed.values())
                owed = {}
            elif owed and rest:
                history.append(_paid(owner, owed))
                owed = {}
            if given or rest:
                history.append(_with_parts(message, (*given, *rest)))
        elif kind == "gemini":
            if owed:
                history.append(_paid(owner, owed))
            message, owed, owner = _model(record), _replies(record), name
            if message.parts:
                history.append(message)
    if owed:
        history.append(_paid(owner, owed))
    return tuple(history)


def _user(record: JsonObject) -> Message:
    parts = read_parts(record.get("content"))
    words = text_of(record.get("content"))
    origin: Origin = "person"
    if parts and all(isinstance(part, Reply) for part in parts):
        origin = "tool"
    elif is_context(words):
        origin = "context"
    display = record.get("displayContent")
    return Message(
        _string(record, "id"),
        "user",
        parts,
        _string(record, "timestamp"),
        origin=origin,
        display=None if display is None else text_of(display),
    )


def _model(record: JsonObject) -> Message:
    spoken = read_parts(record.get("content"))
    has_own = any(isinstance(part, Call) or _is_thought(part) for part in spoken)
    parts: list[Part] = [] if has_own else _thoughts(record.get("thoughts"))
    parts += [part for part in spoken if not (isinstance(part, Text) and not part.text)]
    known = {part.id for part in spoken if isinstance(part, Call)}
    for call in _calls(record):
        if call["id"] not in known:
            known.add(call["id"])
            args = call.get("args")
            parts.append(Call(call["id"], call["name"], args if isinstance(args, dict) else {}))
    model = record.get("model")
    return Message(
        _string(record, "id"),
        "model",
        tuple(parts),
        _string(record, "timestamp"),
        model=model if isinstance(model, str) else None,
        origin="model",
        usage=_usage(record.get("tokens")),
    )


def _replies(record: JsonObject) -> dict[str, Reply]:
    """The reply to each call of an answer, from the results stored with it."""
    replies = {}
    for call in _calls(record):
        replies[call["id"]] = _reply(call)
    for part in read_parts(record.get("content")):
        if isinstance(part, Call) and part.id not in replies:
            replies[part.id] = Reply(part.id, part.name, (Text(LOST),), True)
    return replies


def _reply(call: JsonObject) -> Reply:
    name, call_id, result = call["name"], call["id"], call.get("result")
    if isinstance(result, str):
        return Reply(call_id, name, (Text(result),))
    parts = [part for part in result if isinstance(part, dict)] if isinstance(result, list) else []
    for part in parts:
        if isinstance(part.get("functionResponse"), dict):
            others = [other for other in parts if other is not part]
            found = read_reply(part["functionResponse"], others)
            return Reply(call_id, name, found.parts, found.is_error)
    texts = tuple(part for part in read_parts(result) if isinstance(part, Text))
    return Reply(call_id, name, texts or (Text(LOST),), not texts)


def _calls(record: JsonObject) -> Sequence[JsonObject]:
    calls = record.get("toolCalls")
    return [
        call
        for call in (calls if isinstance(calls, list) else [])
        if isinstance(call, dict)
        and isinstance(call.get("id"), str)
        and isinstance(call.get("name"), str)
    ]


def _thoughts(stored: JsonValue) -> list[Part]:
    parts: list[Part] = []
    for item in stored if isinstance(stored, list) else []:
        if isinstance(item, dict):
            subject, rest = _string(item, "subject"), _string(item, "description")
            text = f"**{subject}**\n{rest}" if subject else rest
            if text:
                parts.append(Text(text, thought=True))
    return parts


def _paid(owner: str, owed: dict[str, Reply]) -> Message:
    """The replies nobody wrote down as a message of their own."""
    return Message(f"{owner}_response", "user", tuple(owed.values()), "", origin="tool")


def _with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    return Message(
        message.id,
        message.role,
        parts,
        message.at,
        origin=message.origin,
        display=message.display,
    )


def _usage(tokens: JsonValue) -> Usage | None:
    if not isinstance(tokens, dict):
        return None
    names = ("input", "output", "cached", "thoughts", "tool", "total")
    counts = {name: tokens.get(name) for name in names}
    return Usage(**{n: c for n, c in counts.items() if isinstance(c, int)})


def _is_thought(part: Part) -> bool:
    return isinstance(part, Text) and part.thought


def _string(record: JsonObject, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
