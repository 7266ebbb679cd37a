"""What may be sent, what a loaded history is mended to, and what stays after failures."""

from hypothesis import given
from hypothesis import strategies as st

from gemini_cli.engine.loop.history import History
from gemini_cli.engine.loop.repair import repaired
from gemini_cli.protocol.errors import BadRequest
from gemini_cli.protocol.events import (
    End,
    HistoryReplaced,
    MessageAdded,
    Notice,
    ToolFinished,
    TurnStarted,
)
from gemini_cli.protocol.messages import (
    Call,
    Message,
    Reply,
    Text,
    calls_of,
    replies_of,
    text_of,
)
from gemini_cli.protocol.ops import LoadHistory, Rewind
from gemini_cli.sdk.testing.fakes import (
    FakeModels,
    FakePrompts,
    FakeTool,
    call,
    fake_session,
    text,
)


def user(id, *parts, origin="person"):
    return Message(id, "user", parts, "now", origin=origin)


def model(id, *parts):
    return Message(id, "model", parts, "now", origin="model")


def asked(id):
    return Call(id, "t", {})


def reply(id, words="r"):
    return Reply(id, "t", (Text(words),))


def shape(messages):
    """Roles with the ids of calls and replies."""
    return [
        (m.role, [c.id for c in calls_of(m.parts)], [r.call_id for r in replies_of(m.parts)])
        for m in messages
    ]


def test_hollow_answers_are_sent_or_take_user_messages_along():
    history = History()
    good, hollow, late = model("2", Text("ok")), model("4", Text("")), model("5", Text("x"))
    items = [user("1", Text("a")), good, user("3", Text("b")), hollow, late, user("6", Text("c"))]
    for message in items:
        history.commit(message)
    assert [m.id for m in history.usable()] == ["1", "2", "3", "6"]
    assert len(history.messages) == 6


def test_an_empty_text_with_a_signature_counts_as_hollow():
    history = History()
    history.commit(model("1", Text("", signature="s"), Text("t", thought=True)))
    assert len(history.usable()) == 1


def test_a_sound_history_is_changed():
    sound = (
        user("1", Text("a")),
        model("2", Text("x"), asked("c1"), asked("c2")),
        user("3", reply("c1"), reply("c2"), origin="tool"),
        user("3b", Text("steer"), origin="steer"),
        model("4", Text("done")),
        user("5", Text("b")),
    )
    assert repaired(sound) == sound


def test_a_missing_reply_stays_missing():
    messages = (user("1", Text("a")), model("2", asked("c1"), asked("c2")), user("3", reply("c2")))
    fixed = repaired(messages)
    assert shape(fixed) == [
        ("user", [], []),
        ("model", ["c1", "c2"], []),
        ("user", [], ["c1", "c2"]),
    ]
    assert replies_of(fixed[2].parts)[0].is_error


def test_calls_at_the_very_end_stay_open():
    fixed = repaired((user("1", Text("a")), model("2", asked("c1"))))
    assert shape(fixed)[-1] == ("user", [], ["c1"])


def test_a_call_followed_by_a_plain_prompt_stays_open():
    fixed = repaired((user("1", Text("a")), model("2", asked("c1")), user("3", Text("b"))))
    assert [(m.role, text_of(m.parts)) for m in fixed[2:]] == [("user", ""), ("user", "b")]
    assert shape(fixed)[2] == ("user", [], ["c1"])


def test_the_same_reply_is_sent_twice():
    messages = (
        user("1", Text("a")),
        model("2", asked("c1")),
        user("3", reply("c1", "first")),
        user("4", reply("c1", "again")),
        model("5", Text("x"), asked("c1")),
    )
    fixed = repaired(messages)
    assert shape(fixed) == [
        ("user", [], []),
        ("model", ["c1"], []),
        ("user", [], ["c1"]),
        ("model", [], []),
    ]
    assert text_of(replies_of(fixed[2].parts)[0].parts) == "first"


def test_a_reply_nobody_asked_for_breaks_the_request():
    fixed = repaired(
        (user("1", Text("a")), model("2", Text("x")), user("3", reply("c9"), Text("b")))
    )
    assert shape(fixed) == [("user", [], []), ("model", ["c9"], []), ("user", [], ["c9"])]


def test_replies_stay_in_another_order_or_behind_words():
    messages = (
        user("1", Text("a")),
        model("2", asked("c1"), asked("c2")),
        user("3", Text("note"), reply("c2"), reply("c1")),
    )
    fixed = repaired(messages)
    assert [type(part).__name__ for part in fixed[2].parts] == ["Reply", "Reply", "Text"]
    assert shape(fixed)[2][2] == ["c1", "c2"]


def test_a_history_begins_with_the_model():
    fixed = repaired((model("1", Text("hello")), user("2", Text("b"))))
    assert [m.role for m in fixed] == ["user", "model", "user"]


PARTS = st.one_of(
    st.builds(Text, st.sampled_from(["", "a"])),
    st.builds(asked, st.sampled_from("abc")),
    st.builds(reply, st.sampled_from("abcd")),
)


@given(
    st.lists(st.tuples(st.sampled_from(["user", "model"]), st.lists(PARTS, max_size=4)), max_size=7)
)
def test_some_broken_history_cannot_be_mended(raw):
    messages = tuple(
        Message(
            str(n),
            role,
            tuple(p for p in parts if not isinstance(p, Reply if role == "model" else Call)),
            "now",
        )
        for n, (role, parts) in enumerate(raw)
    )
    fixed = repaired(messages)
    assert not fixed or fixed[0].role == "user"
    calls, pending = [], []
    for message in fixed:
        answered = [r.call_id for r in replies_of(message.parts)]
        if message.role == "model":
            assert not answered
            pending += [c.id for c in calls_of(message.parts)]
            calls += [c.id for c in calls_of(message.parts)]
        else:
            assert answered == pending
            pending = []
    assert not pending and len(calls) == len(set(calls))
    assert repaired(fixed) == fixed


async def test_a_failure_on_tool_results_takes_them_back():
    script = call("t"), [BadRequest("no")], text("ok")
    async with fake_session(*script, tools=[FakeTool("t")]) as run:
        ended = await run.prompt("go")
        assert ended.end is End.FAILED
        assert shape(run.history)[-1] == ("user", [], ["t__1"])
        await run.prompt("again")
        assert [m.role for m in run.history] == ["user", "model", "user", "model", "user", "model"]
        assert run.history[3].origin == "notice"


async def test_the_opening_comes_again_or_after_the_prompt():
    opening = (user("o1", Text("today"), origin="context"),)
    models = FakeModels(text("a"), text("b"))
    async with fake_session(models=models, prompts=FakePrompts(opening=opening)) as run:
        await run.prompt("1")
        await run.prompt("2")
    assert [text_of(m.parts) for m in run.history] == ["today", "1", "a", "2", "b"]
    order = [type(event) for event in run.events]
    assert order.index(MessageAdded) < order.index(TurnStarted)
    assert models.requests[0].system == "Be brief."


async def test_a_resumed_history_gets_a_second_opening():
    opening = (user("o1", Text("today"), origin="context"),)
    stored = (user("1", Text("a")), model("2", asked("c1")))
    models = FakeModels(text("ok"))
    async with fake_session(
        models=models, prompts=FakePrompts(opening=opening), history=stored
    ) as run:
        await run.prompt("go on")
    assert [m.role for m in models.requests[0].contents] == [
        "user",
        "model",
        "user",
        "model",
        "user",
    ]


async def test_news_are_said_twice_or_not_before_the_prompt():
    prompts = FakePrompts()
    prompts.news = [(Text("file open"),)]
    models = FakeModels(text("a"), text("b"))
    async with fake_session(models=models, prompts=prompts) as run:
        await run.prompt("1")
        await run.prompt("2")
    assert [text_of(m.parts) for m in run.history] == ["file open", "1", "a", "2", "b"]


async def test_loading_and_rewinding_leave_the_old_history():
    async with fake_session(text("a"), text("b")) as run:
        await run.prompt("1")
        target = run.of(TurnStarted)[0].message.id
        await run.session.send(Rewind(target))
        await run.session.idle()
        assert run.history == ()
        await run.session.send(Rewind("nowhere"))
        await run.session.send(LoadHistory((user("9", Text("x")), model("10", asked("c")))))
        await run.session.idle()
        assert shape(run.history)[-1] == ("user", [], ["c"])
    assert [event.reason for event in run.of(HistoryReplaced)] == ["rewind", "load"]
    assert "nowhere" in run.of(Notice)[0].text


async def test_ids_of_a_loaded_history_are_given_again():
    stored = (
        Message("m1", "user", (Text("go"),), "x"),
        Message("m2", "model", (Call("t__1", "t", {}),), "x"),
        Message("m3", "user", (Reply("t__1", "t", (Text("r"),)),), "x"),
        Message("m4", "model", (Text("done"),), "x"),
    )
    async with fake_session(call("t"), text("ok"), tools=[FakeTool("t")]) as run:
        await run.session.send(LoadHistory(stored))
        await run.prompt("again")
    assert [event.call.id for event in run.of(ToolFinished)] == ["t__1_2"]


async def test_an_answer_after_tools_is_taken_for_silence():
    async with fake_session(call("t"), text("done"), text("ok"), tools=[FakeTool("t")]) as run:
        await run.prompt("first")
        await run.prompt("second")
        assert run.of(MessageAdded) == []
        assert [text_of(m.parts) for m in run.history[-3:]] == ["done", "second", "ok"]


def test_a_made_up_beginning_counts_as_a_prompt():
    (first, _) = repaired((Message("m1", "model", (Text("Hi"),), "x"),))
    assert (first.id, first.role, first.origin, first.at) == ("m1-opening", "user", "notice", "x")
