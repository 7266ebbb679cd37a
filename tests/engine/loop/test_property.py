"""Cancelled at any moment, the history stays whole and the session goes on."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemini_cli.engine.loop import AgentTool
from gemini_cli.engine.loop.repair import repaired
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.errors import Overloaded
from gemini_cli.protocol.events import End, ToolFinished, TurnEnded, TurnStarted
from gemini_cli.protocol.hooks import AfterAgentOutcome, BeforeToolOutcome
from gemini_cli.protocol.messages import Text, calls_of, replies_of
from gemini_cli.protocol.ops import Cancel, Prompt
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.tools import TailCalled, ToolResult
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeProcesses,
    FakeTool,
    call,
    fake_session,
    retried,
    text,
    thought,
)


async def runs_a_process(args, ctx, answer):
    process = await ctx.processes.start(["x"], cwd=ctx.workspace.target, env={})
    try:
        for _ in range(args.get("long", 3)):
            await asyncio.sleep(0)
    finally:
        await process.kill()
    return "ran"


def tools():
    return [
        FakeTool("read", "words"),
        FakeTool("shell", runs_a_process, kind="execute"),
        FakeTool("edit", "changed", kind="edit", parallel=False),
        FakeTool("hop", ToolResult(effects=(TailCalled("read", {}),))),
        AgentTool(AgentSpec("scout", "Looks.", "You look.")),
    ]


STEPS = st.lists(
    st.one_of(
        st.lists(
            st.sampled_from(["read", "shell", "edit", "hop", "unknown"]), min_size=1, max_size=4
        ),
        st.sampled_from(["error", "empty", "agent"]),
    ),
    max_size=3,
)


def script(steps):
    """The answers of the model: calls, a stream that fails, one without words; then the end."""
    made, number = [], 0
    for step in steps:
        if step == "error":
            made.append([text("half"), Overloaded("busy")])
        elif step == "empty":
            made.append([thought("hm")])
        elif step == "agent":
            number += 3
            made.append([call("scout", {"prompt": "x"}, id=str(number))])
            made.append([call("read", id="1"), call("edit", id="2")])
            made.append([call("complete_task", {"result": "r"}, id="3")])
        else:
            items = [retried(), text("so ")]
            for name in step:
                number += 1
                items.append(call(name, id=str(number)))
            made.append(items)
    return [*made, [text("do"), text("ne")], text("more"), text("after all"), text("spare")]


def assert_whole(history):
    pending = []
    for message in history:
        answered = [reply.call_id for reply in replies_of(message.parts)]
        if pending:
            assert message.role == "user" and answered == pending
        else:
            assert answered == []
        pending = [each.id for each in calls_of(message.parts)]
    assert pending == []
    ids = [message.id for message in history]
    assert len(ids) == len(set(ids))


async def cancelled_after(ticks, again, steps, decline):
    processes = FakeProcesses(code=None)
    hooks = FakeHooks(
        before_tool=[BeforeToolOutcome(), BeforeToolOutcome(ask="sure?")],
        after_agent=[AfterAgentOutcome(block="more")],
    )
    people = FakePeople(*(["proceed_once", "cancel" if decline else "proceed_once"] * 20))
    async with fake_session(
        models=FakeModels(*script(steps)),
        tools=tools(),
        hooks=hooks,
        people=people,
        policy=FakePolicy({"edit": Verdict.ASK}),
        processes=processes,
        interactive=True,
    ) as run:
        before = asyncio.all_tasks()
        await run.session.send(Prompt((Text("go"),)))
        for _ in range(ticks):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        for _ in range(again):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        assert asyncio.all_tasks() == before
        assert not [process for process in processes.started if process.running]
        assert_whole(run.history)
        assert repaired(run.history) == run.history
        finished = [
            (e.turn_id, e.event.reply.call_id)
            for e in run.envelopes
            if isinstance(e.event, ToolFinished)
        ]
        assert len(finished) == len(set(finished))
        opened = [e.turn_id for e in run.envelopes if isinstance(e.event, TurnStarted)]
        ended = [e.turn_id for e in run.envelopes if isinstance(e.event, TurnEnded)]
        assert sorted(opened) == sorted(ended)
        run.ports.models.__init__(text("fine"))
        run.ports.hooks.wanted.clear()
        assert (await run.prompt("next")).end is End.COMPLETED
        assert_whole(run.history)
        assert run.ports.models.open == 0


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(ticks=st.integers(0, 160), again=st.integers(0, 6), steps=STEPS, decline=st.booleans())
def test_a_cancel_at_some_await_breaks_the_history(ticks, again, steps, decline):
    asyncio.run(cancelled_after(ticks, again, steps, decline))


def test_a_cancel_at_any_await_of_one_full_turn_breaks_the_history():
    steps = [["read", "shell", "edit"], "error", "agent", "empty", ["hop"]]
    for ticks in range(220):
        asyncio.run(cancelled_after(ticks, 0, steps, False))
