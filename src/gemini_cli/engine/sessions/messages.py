"""Single records: a prompt, an answer, a notice, as other programs read them.

Pure functions from our messages to the stored shape; nothing here remembers anything.
"""

import re

from gemini_cli.engine.sessions.parts import stored_part
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Call, Message, Text, Usage, calls_of, text_of

SUBJECT = re.compile(r"\*\*(.*?)\*\*", re.DOTALL)


def user_record(message: Message) -> JsonObject:
    """A message of the user's side: a prompt, context, or the replies of tools."""
    record: JsonObject = {
        "id": message.id,
        "timestamp": message.at,
        "type": "user",
        "content": [stored_part(part) for part in message.parts],
    }
    if message.display is not None and message.display != text_of(message.parts):
        record["displayContent"] = [{"text": message.display}]
    return record


def gemini_record(message: Message) -> JsonObject:
    """An answer, its thoughts apart; calls are added when they are done."""
    spoken = [
        part
        for part in message.parts
        if not isinstance(part, Call) and not (isinstance(part, Text) and part.thought)
    ]
    text = text_of(message.parts)
    content = (
        (text.strip() if calls_of(message.parts) else text)
        if all(isinstance(part, Text) for part in spoken)
        else [stored_part(part) for part in spoken]
    )
    thoughts = [
        thought(part.text, message.at)
        for part in message.parts
        if isinstance(part, Text) and part.thought and part.text.strip()
    ]
    record: JsonObject = {
        "id": message.id,
        "timestamp": message.at,
        "type": "gemini",
        "content": content,
        "thoughts": thoughts,
        "tokens": None if message.usage is None else _tokens(message.usage),
    }
    if message.model is not None:
        record["model"] = message.model
    return record


def notice_record(name: str, at: str, level: str, text: str) -> JsonObject:
    """A line that was for the person only."""
    return {"id": name, "timestamp": at, "type": level, "content": text}


def thought(text: str, at: str) -> JsonObject:
    """A thought with its subject, which stands between the first two pairs of asterisks."""
    match = SUBJECT.search(text)
    subject = match[1].strip() if match else ""
    rest = text[: match.start()] + text[match.end() :] if match else text
    return {"subject": subject, "description": rest.strip(), "timestamp": at}


def _tokens(usage: Usage) -> JsonObject:
    return {
        "input": usage.input,
        "output": usage.output,
        "cached": usage.cached,
        "thoughts": usage.thoughts,
        "tool": usage.tool,
        "total": usage.total,
    }
