"""Turns the durable events of one session into the records of its file.

It is a state machine without a file: it knows the ids written so far and the answer whose
calls are still running, and gives back what to append. Until a person has said something
there is nothing to append. Events of subagents are not its business.
"""

from collections.abc import Callable, Iterable, Sequence

from gemini_cli.engine.sessions.messages import gemini_record, notice_record, user_record
from gemini_cli.engine.sessions.parts import stored_reply
from gemini_cli.engine.sessions.shown import is_markdown, stored_display
from gemini_cli.ground.formats.session_file import project_hash
from gemini_cli.protocol.events import (
    Compacted,
    Envelope,
    Failed,
    HistoryReplaced,
    MessageAdded,
    MetaChanged,
    ModelReplied,
    Notice,
    RolledBack,
    RootsChanged,
    SessionOpened,
    ToolFinished,
    TurnStarted,
)
from gemini_cli.protocol.jsonvalue import JsonObject
from gemini_cli.protocol.messages import Message, calls_of

SMALL = 256 * 1024
"""As long as the results of one answer are smaller, each is written as soon as it is there."""
OWN_KEYS = frozenset({"sessionId", "projectHash", "startTime", "lastUpdated", "kind", "messages"})
NOTICES = frozenset({"info", "warning", "error"})

Stored = Callable[[], Sequence[JsonObject]]
"""Reads the messages that are in the file now."""


def header(opened: SessionOpened, at: str, root: str) -> JsonObject:
    """The first line of a file."""
    record: JsonObject = {
        "sessionId": opened.session_id,
        "projectHash": project_hash(root),
        "startTime": at,
        "lastUpdated": at,
        "kind": "main",
    }
    others = [place for place in opened.roots if place != opened.cwd]
    if others:
        record["directories"] = others
    if opened.parent:
        record["forkedFrom"] = {"sessionId": opened.parent}
    return record


class Records:
    """The records of one session, event by event."""

    def __init__(
        self,
        stored: Stored,
        cwd: str,
        *,
        resumed: Iterable[JsonObject] | None = None,
        copied: Iterable[JsonObject] = (),
    ) -> None:
        """`resumed` are in the file already; `copied` begin a new one that is a fork."""
        self._stored = stored
        self._cwd = cwd
        self._early: list[JsonObject] = list(copied)
        self._ids: dict[str, JsonObject | None] = _known(resumed or ())
        """Every id in the file in order; for notices, the record itself."""
        self._started = resumed is not None
        self._ids.update(_known(self._early))
        self._answer: JsonObject | None = None
        self._waiting: set[str] = set()
        self._unwritten = False
        self._size = 0

    @property
    def started(self) -> bool:
        """Whether a person has said something, so that there is a file."""
        return self._started

    def saw(self, envelope: Envelope) -> list[JsonObject]:
        """What to append for this event."""
        at = envelope.at
        match envelope.event:
            case TurnStarted(message=message):
                return self._prompt(message, at)
            case MessageAdded(message=message):
                return self._added(message, at)
            case ModelReplied(message=message):
                return self._replied(message, at)
            case ToolFinished():
                return self._called(envelope.event, at)
            case RolledBack(dropped=dropped):
                return self._dropped(dropped, at)
            case HistoryReplaced(messages=messages):
                return self._replaced(messages, at)
            case Notice(level=level, text=text):
                return self._noticed(level, text, envelope)
            case Failed(problem=problem):
                return self._noticed("error", problem.message, envelope)
            case Compacted(before=before, after=after, status=1):
                text = f"Chat history compressed from {before} to {after} tokens."
                return self._noticed("info", text, envelope)
            case MetaChanged(changes=changes):
                kept = {key: value for key, value in changes.items() if key not in OWN_KEYS}
                return self._updated(kept, at)
            case RootsChanged(roots=roots):
                others = [place for place in roots if place != self._cwd]
                return self._updated({"directories": others}, at)
            case _:
                return []

    def _prompt(self, message: Message, at: str) -> list[JsonObject]:
        opening: list[JsonObject] = []
        if not self._started and self._early:
            opening = [{"$set": {"messages": self._early, "lastUpdated": at}}]
        self._started, self._early = True, []
        return [*opening, *self._flush(), *self._written(user_record(message), at)]

    def _added(self, message: Message, at: str) -> list[JsonObject]:
        return [*self._flush(), *self._written(_record(message), at)]

    def _replied(self, message: Message, at: str) -> list[JsonObject]:
        flushed = self._flush()
        record = gemini_record(message)
        self._answer = record
        self._waiting = {call.id for call in calls_of(message.parts)}
        self._size = 0
        return [*flushed, *self._written(record, at)]

    def _called(self, finished: ToolFinished, at: str) -> list[JsonObject]:
        """Adds a call to the answer that asked for it; calls beside the turn are no part of it.

        Waits for the other calls where results are large.
        """
        if self._answer is None or finished.call.id not in self._waiting:
            return []
        calls = self._answer.get("toolCalls", ())
        self._answer = {**self._answer, "toolCalls": [*calls, _call_record(finished, at)]}
        self._waiting.discard(finished.call.id)
        self._size += sum(len(part.text) for part in finished.reply.parts if hasattr(part, "text"))
        self._unwritten = True
        if self._waiting:
            return [] if self._size > SMALL else self._flush()
        return [*self._flush(), *self._written(_response(self._answer, at), at)]

    def _flush(self) -> list[JsonObject]:
        """The answer with the calls that were not written yet."""
        if not self._unwritten or self._answer is None:
            return []
        self._unwritten = False
        return [self._answer]

    def _dropped(self, dropped: tuple[str, ...], at: str) -> list[JsonObject]:
        """Takes the end of the conversation back; what a person was told stays."""
        gone = {*dropped, *(_response_id(name) for name in dropped)}
        known = [name for name in self._ids if name in gone]
        if not self._started:
            self._early = [record for record in self._early if record["id"] not in gone]
            for name in known:
                del self._ids[name]
            return []
        pending = self._flush()
        self._answer = None
        if not known:
            return pending
        order = list(self._ids)
        start = order.index(known[0])
        if any(self._ids[name] is None and name not in gone for name in order[start:]):
            current = self._current(pending)
            return self._checkpoint([r for r in current if r.get("id") not in gone], at)
        told = [record for record in map(self._ids.get, order[start:]) if record is not None]
        for name in order[start:]:
            del self._ids[name]
        lines: list[JsonObject] = [{"$rewindTo": known[0]}]
        for record in told:
            lines += self._written(record, at)
        return lines if told else [*lines, {"$set": {"lastUpdated": at}}]

    def _replaced(self, messages: tuple[Message, ...], at: str) -> list[JsonObject]:
        """The whole list anew: known messages as they were stored, notices in their place."""
        if not self._started:
            copies = {record.get("id"): record for record in self._early}
            self._early = [copies.get(message.id) or _record(message) for message in messages]
            self._ids = _known(self._early)
            return []
        old = self._current(self._flush())
        self._answer = None
        known = {record["id"]: record for record in old if isinstance(record.get("id"), str)}
        wanted = {message.id for message in messages}
        result: list[JsonObject] = []
        at_old = 0
        for message in messages:
            if message.id in known:
                while at_old < len(old) and old[at_old].get("id") != message.id:
                    result += _told(old[at_old], wanted)
                    at_old += 1
                at_old += 1
            result.append(known.get(message.id) or _record(message))
        for record in old[at_old:]:
            result += _told(record, wanted)
        return self._checkpoint(result, at)

    def _current(self, pending: Iterable[JsonObject]) -> list[JsonObject]:
        """The messages as they will be in the file once `pending` is written."""
        newer = {record["id"]: record for record in pending}
        return [newer.get(str(record.get("id")), record) for record in self._stored()]

    def _checkpoint(self, records: list[JsonObject], at: str) -> list[JsonObject]:
        self._ids = _known(records)
        return [{"$set": {"messages": records, "lastUpdated": at}}]

    def _noticed(self, level: str, text: str, envelope: Envelope) -> list[JsonObject]:
        name = f"notice-{envelope.at}-{envelope.seq}"
        return self._written(notice_record(name, envelope.at, level, text), envelope.at)

    def _updated(self, changes: JsonObject, at: str) -> list[JsonObject]:
        if not changes or not self._started:
            return []
        return [{"$set": {**changes, "lastUpdated": at}}]

    def _written(self, record: JsonObject, at: str) -> list[JsonObject]:
        self._ids[record["id"]] = record if record["type"] in NOTICES else None
        if not self._started:
            self._early.append(record)
            return []
        return [record, {"$set": {"lastUpdated": at}}]


def _known(records: Iterable[JsonObject]) -> dict[str, JsonObject | None]:
    return {
        record["id"]: record if record.get("type") in NOTICES else None
        for record in records
        if isinstance(record.get("id"), str)
    }


def _record(message: Message) -> JsonObject:
    return gemini_record(message) if message.role == "model" else user_record(message)


def _told(record: JsonObject, wanted: set[str]) -> list[JsonObject]:
    """A notice that stays where it was; anything else is gone unless it comes later."""
    keep = record.get("type") in NOTICES and record.get("id") not in wanted
    return [record] if keep else []


def _response_id(answer_id: str) -> str:
    """The id of the record that holds the replies to an answer's calls."""
    return f"{answer_id}_response"


def _response(answer: JsonObject, at: str) -> JsonObject:
    """All results of an answer once more, as the message the model was sent."""
    return {
        "id": _response_id(answer["id"]),
        "timestamp": at,
        "type": "user",
        "content": [part for call in answer["toolCalls"] for part in call["result"]],
    }


def _call_record(finished: ToolFinished, at: str) -> JsonObject:
    call = finished.call
    record: JsonObject = {
        "id": call.id,
        "name": call.name,
        "args": call.args,
        "result": [stored_reply(finished.reply)],
        "status": finished.status,
        "timestamp": at,
        "displayName": finished.display_name or call.name,
        "description": finished.title,
        "resultDisplay": stored_display(finished.display),
        "renderOutputAsMarkdown": is_markdown(finished.display),
    }
    if finished.agent_id is not None:
        record["agentId"] = finished.agent_id
    return record
