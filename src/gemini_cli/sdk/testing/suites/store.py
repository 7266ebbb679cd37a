"""What a `Store` owes: nothing before the first words, everything after them, each session apart.

Envelopes are made here as the loop would tell them; how a store keeps them is its own affair.
"""

import itertools
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from gemini_cli.protocol.events import (
    Envelope,
    Event,
    HistoryReplaced,
    MessageAdded,
    ModelReplied,
    RolledBack,
    SessionOpened,
    TextDelta,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    Unknown,
)
from gemini_cli.protocol.events.turn import End
from gemini_cli.protocol.messages import Call, Message, Reply, Text, calls_of, replies_of, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.store import Store

StoreStage: TypeAlias = Callable[[], Store]
"""Opens the place again: what one store wrote, the next one finds."""

AT = "2026-01-02T03:04:05.678Z"
ONE, TWO = "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "22222222-bbbb-4bbb-8bbb-bbbbbbbbbbbb"


class Told:
    """A conversation told to a store, envelope by envelope."""

    def __init__(self, store: Store, session_id: str = ONE) -> None:
        self._store = store
        self._id = session_id
        self._numbers = itertools.count(1)
        self.tell(SessionOpened(session_id, "/work", "some-model", Mode.DEFAULT))

    def tell(self, event: Event, agent: tuple[str, ...] = ()) -> None:
        """Hands the next envelope over."""
        self._store.append(Envelope(next(self._numbers), AT, self._id, "turn", agent, event))

    def prompt(self, name: str, words: str) -> None:
        """A person's words."""
        self.tell(TurnStarted(Message(name, "user", (Text(words),), AT)))

    def answer(self, name: str, words: str, *calls: Call) -> None:
        """The model's words and calls."""
        parts = ((Text(words),) if words else ()) + calls
        self.tell(ModelReplied(Message(name, "model", parts, AT, model="m", origin="model")))

    def finished(self, call: Call, words: str) -> None:
        """The reply to a call."""
        self.tell(ToolFinished(call, Reply(call.id, call.name, (Text(words),)), "success"))


def _gist(messages: Iterable[Message]) -> list[tuple[str, str, list[str], list[str]]]:
    """Role, words, calls and replies of each message, without blanks around words."""
    return [
        (
            message.role,
            text_of(message.parts).strip(),
            [f"{call.id} {call.args}" for call in calls_of(message.parts)],
            [f"{r.call_id} {text_of(tuple(r.parts))}" for r in replies_of(message.parts)],
        )
        for message in messages
    ]


def _kept(store: Store, session_id: str = ONE) -> list[tuple[str, str, list[str], list[str]]]:
    record = store.load(session_id)
    assert record is not None, f"session {session_id} was told but is not there"
    assert record.meta.session_id == session_id, "a record must carry the id it was loaded by"
    return _gist(record.messages)


async def knows_no_session_it_was_not_told(stage: StoreStage) -> None:
    """An unknown id is no error."""
    for name in (ONE, "", "../../etc/passwd", "a\x00b"):
        assert stage().load(name) is None, f"a session {name!r} came from nowhere"
        assert stage().path(name) == "", f"session {name!r} has a path but was never told"


async def keeps_nothing_before_the_first_words(stage: StoreStage) -> None:
    """A session that was only opened leaves nothing behind."""
    store = stage()
    told = Told(store)
    context = Message("c", "user", (Text("<session_context>…</session_context>"),), AT)
    told.tell(MessageAdded(context))
    assert store.path(ONE) == "", "a session without a person's words must leave no file"
    assert stage().load(ONE) is None, "a session without a person's words must not be found"


async def gives_back_what_it_was_told(stage: StoreStage) -> None:
    """Words, calls and replies, in order, read by a store that is opened later."""
    told = Told(stage())
    call = Call("look__1", "look", {"at": "ü 😀"})
    told.prompt("u1", "please look\nat line two")
    told.answer("g1", "", call)
    told.finished(call, "plum")
    told.answer("g2", "It says plum.")
    told.tell(TurnEnded(End.COMPLETED))
    assert _kept(stage()) == [
        ("user", "please look\nat line two", [], []),
        ("model", "", [f"{call.id} {call.args}"], []),
        ("user", "", [], [f"{call.id} plum"]),
        ("model", "It says plum.", [], []),
    ], "what was told must come back as it was, in order"


async def has_each_event_before_append_returns(stage: StoreStage) -> None:
    """A process may be killed at any moment, so another reader sees every finished append."""
    told = Told(stage())
    for number in range(3):
        told.prompt(f"u{number}", f"words {number}")
        assert len(_kept(stage())) == number + 1, "append returned before its event was kept"


async def forgets_what_was_taken_back(stage: StoreStage) -> None:
    """A rolled back prompt never happened; one after it did."""
    told = Told(stage())
    told.prompt("u1", "stays")
    told.answer("g1", "yes")
    told.prompt("u2", "goes")
    told.tell(RolledBack(("u2",), "cancelled"))
    told.prompt("u3", "comes")
    words = [row[1] for row in _kept(stage())]
    assert words == ["stays", "yes", "comes"], f"after a rollback {words} is left"


async def takes_a_new_history_for_the_old(stage: StoreStage) -> None:
    """What was replaced does not come back."""
    told = Told(stage())
    told.prompt("u1", "long ago")
    told.answer("g1", "yes")
    summary = Message("s1", "user", (Text("a summary"),), AT, origin="context")
    told.tell(HistoryReplaced((summary,), "compact"))
    told.prompt("u2", "and now")
    words = [row[1] for row in _kept(stage())]
    assert words == ["a summary", "and now"], f"after a replacement {words} is left"


async def keeps_sessions_apart(stage: StoreStage) -> None:
    """Two sessions at once, told in turns."""
    store = stage()
    one, two = Told(store, ONE), Told(store, TWO)
    one.prompt("u1", "one")
    two.prompt("u1", "two")
    one.answer("g1", "first")
    two.answer("g1", "second")
    assert [row[1] for row in _kept(stage(), ONE)] == ["one", "first"], "session one is mixed up"
    assert [row[1] for row in _kept(stage(), TWO)] == ["two", "second"], "session two is mixed up"


async def keeps_subagents_out_of_the_conversation(stage: StoreStage) -> None:
    """What a subagent says belongs to its own record."""
    told = Told(stage())
    told.prompt("u1", "delegate")
    inner = Message("x1", "user", (Text("inner words"),), AT)
    told.tell(TurnStarted(inner), agent=("helper",))
    told.answer("g1", "done")
    words = [row[1] for row in _kept(stage())]
    assert words == ["delegate", "done"], f"a subagent's words are in its parent's record: {words}"


async def lets_live_and_unknown_events_pass(stage: StoreStage) -> None:
    """Neither a delta nor an event of a newer version changes the record or raises."""
    told = Told(stage())
    told.prompt("u1", "hi")
    told.tell(TextDelta("half an ans"))
    told.tell(Unknown({"type": "FromTheFuture", "x": [1]}))
    told.answer("g1", "whole answer")
    assert [row[1] for row in _kept(stage())] == ["hi", "whole answer"]


async def survives_words_that_are_no_text(stage: StoreStage) -> None:
    """Half a character, control characters and line ends do no harm to what follows."""
    told = Told(stage())
    told.prompt("u1", "half \ud800 \x00 \u2028 \r\n end")
    told.prompt("u2", "next")
    words = [row[1] for row in _kept(stage())]
    assert len(words) == 2 and words[1] == "next", f"odd words spoilt the record: {words!r}"
    assert words[0].startswith("half") and words[0].endswith("end")


STORE_CHECKS: tuple[Callable[[StoreStage], Awaitable[None]], ...] = (
    knows_no_session_it_was_not_told,
    keeps_nothing_before_the_first_words,
    gives_back_what_it_was_told,
    has_each_event_before_append_returns,
    forgets_what_was_taken_back,
    takes_a_new_history_for_the_old,
    keeps_sessions_apart,
    keeps_subagents_out_of_the_conversation,
    lets_live_and_unknown_events_pass,
    survives_words_that_are_no_text,
)
