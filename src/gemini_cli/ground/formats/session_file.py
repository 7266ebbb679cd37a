"""The record format of our own session files, and how its lines are played back.

A session is a log of messages, upserts, rewinds and metadata updates; `SessionReplay` folds it
into what is still visible. It opens no files: callers feed it records and keep what they like.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Generic, Literal, TypeVar

from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

T = TypeVar("T")
Kind = Literal["rewind", "message", "update", "header", "other"]

CONTEXT_PREFIXES = ("<session_context>", "<hook_context>")
FINAL_STATUS = frozenset({"success", "error", "cancelled"})


def record_kind(record: JsonValue) -> Kind:
    """Which of the four kinds a line is; the order of the tests is part of the format."""
    if not isinstance(record, dict):
        return "other"
    if isinstance(record.get("$rewindTo"), str):
        return "rewind"
    if isinstance(record.get("id"), str):
        return "message"
    if isinstance(record.get("$set"), dict):
        return "update"
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
        return "header"
    return "other"


class SessionReplay(Generic[T]):
    """Folds records, in file order, into metadata and the messages that remain.

    `keep(message, position)` says what to hold of a message: the record itself, or only where
    it lies. `position` is -1 for a line of its own, else its index in the line's `messages`.
    """

    def __init__(self, keep: Callable[[JsonObject, int], T]) -> None:
        self.metadata: JsonObject = {}
        self.has_header = False
        self._keep = keep
        self._held: dict[str, T] = {}
        self._nameless = 0

    def feed(self, record: JsonValue) -> None:
        """Apply one line. Anything that is none of the four kinds is passed over."""
        match record_kind(record):
            case "rewind":
                self._rewind(record["$rewindTo"])
            case "message":
                self._held[record["id"]] = self._keep(record, -1)
            case "update":
                self._merge(record["$set"], replace=True)
            case "header":
                self.has_header = True
                self._merge(record, replace=False)
            case "other":
                pass

    def held(self) -> Iterator[T]:
        """What was kept of each message that remains, in order of first appearance."""
        return iter(self._held.values())

    def __len__(self) -> int:
        return len(self._held)

    def _rewind(self, target: str) -> None:
        if target not in self._held:
            self._held.clear()
            return
        while self._held.popitem()[0] != target:
            pass

    def _merge(self, fields: JsonObject, *, replace: bool) -> None:
        messages = fields.get("messages")
        self.metadata.update({k: v for k, v in fields.items() if k != "messages"})
        if not isinstance(messages, list):
            return
        if replace:
            self._held.clear()
        for position, message in enumerate(messages):
            if isinstance(message, dict):
                self._held[self._name_of(message)] = self._keep(message, position)

    def _name_of(self, message: JsonObject) -> str:
        name = message.get("id")
        if isinstance(name, str):
            return name
        self._nameless += 1
        return f"\0{self._nameless}"


def replay(records: Iterator[JsonValue]) -> tuple[JsonObject, list[JsonObject]]:
    """Metadata and visible messages of a whole log held in memory."""
    state: SessionReplay[JsonObject] = SessionReplay(lambda message, _position: message)
    for record in records:
        state.feed(record)
    return state.metadata, list(state.held())


def parts_of(content: JsonValue) -> list[JsonObject]:
    """The content of a record as parts: a str, a part, or a mixed list of both."""
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    if not isinstance(content, list):
        return []
    parts: list[JsonObject] = []
    for item in content:
        if isinstance(item, str):
            parts.append({"text": item})
        elif isinstance(item, dict):
            parts.append(item)
    return parts


def text_of(content: JsonValue) -> str:
    """The spoken text of a content value, thoughts left out, parts joined without a seam."""
    if isinstance(content, str):
        return content
    texts = [
        part["text"]
        for part in parts_of(content)
        if isinstance(part.get("text"), str) and part.get("thought") is not True
    ]
    return "".join(texts)


def is_context(text: str) -> bool:
    """Whether a user text was put there by the product and not by a person."""
    return text.lstrip().startswith(CONTEXT_PREFIXES)


def is_resumable(record: JsonObject) -> bool:
    """Whether a record makes its session worth listing: a real prompt or a model's answer."""
    kind, text = record.get("type"), text_of(record.get("content")).strip()
    if kind == "user":
        return bool(text) and not text.startswith(("/", "?")) and not is_context(text)
    if kind == "gemini":
        return bool(text or record.get("toolCalls") or record.get("thoughts"))
    return False


def project_hash(root: str) -> str:
    """The folder name of old stores and the `projectHash` of every header."""
    return hashlib.sha256(root.encode("utf-8", "surrogatepass")).hexdigest()


def short_id(session_id: str) -> str:
    """The first 8 characters of the id, made safe for a file name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", session_id)[:8]
