"""What remains of a prompt that was cancelled, and who is told."""

import asyncio

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.display import EditPreview, FileDiff, PlainText
from gemini_cli.protocol.events import (
    AskRaised,
    AskResolved,
    CallState,
    End,
    MessageAdded,
    RolledBack,
    TextDelta,
    ToolChanged,
    ToolFinished,
    ToolProgress,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.messages import Text, replies_of, text_of
from gemini_cli.protocol.ops import Cancel, Prompt
from gemini_cli.protocol.policy import Verdict
from gemini_cli.sdk.testing.fakes import (
    FakeModels,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    stall,
    text,
)


async def forever(args, ctx, answer):
    await asyncio.get_running_loop().create_future()


async def test_a_cancelled_stream_leaves_its_prompt_or_stays_open():
    models = FakeModels([text("half"), stall()], text("later"))
    async with fake_session(models=models) as run:
        await run.session.send(Prompt((Text("hi"),)))
        await run.until(TextDelta)
        await run.session.send(Cancel())
        await run.session.idle()
        assert models.open == 0
        assert run.history == ()
        assert run.of(RolledBack)[0].dropped == (run.of(TurnStarted)[0].message.id,)
        assert run.of(TurnEnded) == [TurnEnded(End.CANCELLED, steps=1)]
        assert run.of(UsageReported)[0].error_kind == "cancelled"
        assert (await run.prompt("again")).end is End.COMPLETED


async def test_cancelling_a_later_step_keeps_the_tools_of_the_prompt():
    models = FakeModels(text("ok"), call("t"), stall(), text("later"))
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        await run.prompt("first")
        tokens = run.session.view.prompt_tokens
        await run.session.send(Prompt((Text("second"),)))
        await run.until(ToolFinished)
        for _ in range(20):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        assert [text_of(m.parts) for m in run.history] == ["first", "ok"]
        assert len(run.of(RolledBack)[0].dropped) == 3
        assert run.session.view.prompt_tokens == tokens


async def test_cancelling_tools_loses_replies_or_partial_output():
    def shows(args, ctx, answer):
        ctx.progress(PlainText("half of it"))
        return forever(args, ctx, answer)

    tools = [FakeTool("quick", "real"), FakeTool("slow", shows), FakeTool("edit", parallel=False)]
    calls = [call("quick", id="1"), call("slow", id="2"), call("edit", id="3")]
    async with fake_session(calls, text("later"), tools=tools) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(ToolProgress)
        for _ in range(20):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        assert [e.status for e in run.of(ToolFinished)] == ["success", "cancelled", "cancelled"]
        first, second, third = replies_of(run.history[-1].parts)
        assert text_of(first.parts) == "real"
        assert text_of(second.parts).startswith("[Operation Cancelled] Reason: ")
        assert "half of it" in text_of(second.parts)
        assert third.is_error
        assert run.of(ToolFinished)[1].display == PlainText("half of it")
        assert run.of(TurnEnded)[0].end is End.CANCELLED
        assert len(run.ports.models.requests) == 1
        await run.prompt("again")
        (silence,) = run.of(MessageAdded)
        assert (silence.message.role, silence.message.origin) == ("model", "notice")
        assert [m.role for m in run.history] == ["user", "model", "user", "model", "user", "model"]


async def test_a_cancelled_edit_loses_its_diff():
    diff = FileDiff("/work/f", "f", "@@", "old", "new")
    tool = FakeTool("edit", forever, kind="edit", parallel=False, preview=EditPreview(diff))
    policy = FakePolicy({"edit": Verdict.ASK})
    async with fake_session(call("edit"), tools=[tool], policy=policy, answered_live=True) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(AskRaised)
        await run.session.send(Cancel())
        await run.session.idle()
    assert run.of(AskResolved)[0].answer.by == "withdrawn"
    assert run.of(ToolFinished)[0].display == diff


async def test_cancelling_drops_what_is_queued_or_cannot():
    for queued, ends in ((False, 2), (True, 1)):
        models = FakeModels(stall(), text("second"))
        async with fake_session(models=models) as run:
            await run.session.send(Prompt((Text("1"),)))
            await run.session.send(Prompt((Text("2"),)))
            for _ in range(10):
                await asyncio.sleep(0)
            await run.session.send(Cancel(queued=queued))
            await run.session.idle()
            assert len(run.of(TurnEnded)) == ends


async def test_cancelling_an_idle_session_breaks_the_next_prompt():
    async with fake_session(text("ok")) as run:
        await run.session.send(Cancel())
        assert (await run.prompt("hi")).end is End.COMPLETED


async def test_a_cancel_between_two_tasks_steps_is_forgotten():
    models = FakeModels(text("never"))
    async with fake_session(models=models) as run:
        await run.session.send(Prompt((Text("hi"),)))
        await run.session.send(Cancel())
        await run.session.idle()
        ended = run.of(TurnEnded)
        assert [event.end for event in ended] == [End.CANCELLED]


async def test_a_stubborn_tool_keeps_the_turn_alive():
    """A tool that swallows the cancellation delays the end, but the turn does end."""
    let_go = asyncio.Event()

    async def stubborn(args, ctx, answer):
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            await let_go.wait()
            return "too late"

    models = FakeModels([call("t", id="1"), call("t", id="2")])
    async with fake_session(models=models, tools=[FakeTool("t", stubborn)]) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(ToolChanged, 6)
        await run.session.send(Cancel())
        let_go.set()
        await run.session.idle()
        assert run.of(TurnEnded)[-1].end is End.CANCELLED
        assert len(replies_of(run.history[-1].parts)) == 2


async def test_a_cancellation_from_outside_is_swallowed():
    models = FakeModels([text("half"), stall()])
    async with fake_session(models=models) as run:
        await run.session.send(Prompt((Text("hi"),)))
        await run.until(TextDelta)
        (task,) = [t for t in asyncio.all_tasks() if "Session._do" in repr(t)]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert run.of(TurnEnded)[-1].end is End.CANCELLED
        assert run.history == ()
        await run.session.idle()


async def test_a_cancel_beside_one_from_outside_hides_it():
    models = FakeModels([text("half"), stall()])
    async with fake_session(models=models) as run:
        await run.session.send(Prompt((Text("hi"),)))
        await run.until(TextDelta)
        (task,) = [t for t in asyncio.all_tasks() if "Session._do" in repr(t)]
        await run.session.send(Cancel())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_closing_leaves_tasks_or_subscriptions():
    models = FakeModels([text("half"), stall()])
    async with fake_session(models=models) as run:
        reader = run.session.subscribe()
        await run.session.send(Prompt((Text("hi"),)))
        await run.session.send(Prompt((Text("queued"),)))
        await run.until(TextDelta)
        await run.session.aclose()
        await run.session.aclose()
        assert isinstance([e.event async for e in reader][-1], TurnEnded)
        assert len(asyncio.all_tasks()) == 1
        assert await run.session.send(Prompt((Text("late"),))) == ""


async def test_an_executing_call_is_told_cancelled_only_at_the_end_of_the_turn():
    async with fake_session(call("t"), tools=[FakeTool("t", forever)]) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(ToolChanged, 3)
        await run.session.send(Cancel("shutting down"))
        await run.session.idle()
    assert run.of(ToolChanged)[-1].state is CallState.CANCELLED
    assert "shutting down" in run.replies[0]
    assert isinstance(run.events[-1], TurnEnded)


async def test_a_tool_that_never_stops_keeps_the_session_open():
    limits = LoopLimits(patience=0.001)
    let_go = asyncio.Event()

    async def stubborn(args, ctx, answer):
        ctx.progress(PlainText("deaf"))
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        return "at last"

    async with fake_session(call("t"), tools=[FakeTool("t", stubborn)], limits=limits) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(ToolProgress)
        await run.session.aclose()
        assert run.events[-1].code == "not_stopping"
        let_go.set()
        await run.session.idle()
        assert run.of(TurnEnded)[-1].end is End.CANCELLED
