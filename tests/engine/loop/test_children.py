"""Subagents: their own history and tools, the parent's bus and people, and how they end."""

import asyncio

import pytest

from gemini_cli.engine.loop import AgentTool, LoopLimits
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.display import AgentProgress
from gemini_cli.protocol.errors import BadRequest
from gemini_cli.protocol.events import (
    AskRaised,
    End,
    ModeChanged,
    SessionOpened,
    ToolFinished,
    ToolProgress,
    TurnEnded,
    UsageReported,
)
from gemini_cli.protocol.hooks import BeforeToolOutcome
from gemini_cli.protocol.messages import Text, replies_of, text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.ops import AnswerAsk, Cancel, Prompt
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.tools import ToolResult
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeTool,
    call,
    fake_session,
    stall,
    text,
)

SPEC = AgentSpec("scout", "Looks around.", "You look around.", tools=("look",))


def done(result="found it", id="9"):
    return call("complete_task", {"result": result}, id=id)


def sent(*script, spec=SPEC):
    """A parent that calls the agent, what the agent does, and the parent's last word."""
    return FakeModels(call(spec.name, {"prompt": "where?"}), *script, text("thanks"))


async def run_agent(*script, spec=SPEC, tools=(), **more):
    models = sent(*script, spec=spec)
    everything = [AgentTool(spec), FakeTool("look", "a cat"), FakeTool("other"), *tools]
    async with fake_session(models=models, tools=everything, **more) as run:
        ended = await run.prompt("go")
    assert ended.text == "thanks"
    return run


def reply(run):
    """What the parent's model was told."""
    last = [e.event for e in run.envelopes if isinstance(e.event, ToolFinished) and not e.agent]
    return text_of(last[-1].reply.parts)


async def test_a_subagent_sees_its_parents_history_or_its_result_is_lost():
    run = await run_agent(call("look"), done())
    requests = run.ports.models.requests
    assert [request.scope for request in requests] == [None, "scout", "scout", None]
    assert [request.role for request in requests] == ["main", "subagent", "subagent", "main"]
    assert [text_of(m.parts) for m in requests[1].contents] == ["where?"]
    assert requests[1].system.startswith("You look around.")
    assert [tool["name"] for tool in requests[1].tools] == ["look", "complete_task"]
    assert reply(run) == ("Subagent 'scout' finished.\nTermination Reason: GOAL\nResult:\nfound it")
    assert len(run.history) == 4


async def test_events_of_a_subagent_are_told_as_the_parents():
    run = await run_agent(call("look"), done())
    theirs = [e for e in run.envelopes if e.agent == ("scout",)]
    opened = theirs[0].event
    assert isinstance(opened, SessionOpened)
    assert opened.parent == "session"
    assert isinstance(theirs[-1].event, TurnEnded)
    assert {e.session_id for e in theirs} == {"session"}
    assert len({e.turn_id for e in theirs}) == 1
    assert theirs[0].turn_id not in {e.turn_id for e in run.envelopes if not e.agent}
    usage = [e.event.role for e in run.envelopes if isinstance(e.event, UsageReported)]
    assert usage == ["main", "subagent", "subagent", "main"]
    (finished,) = [e for e in run.of(ToolFinished) if e.call.name == "scout"]
    assert finished.agent_id == opened.session_id
    assert finished.display == AgentProgress(
        "scout", ("look ...", "Complete the task ..."), "completed"
    )
    assert [e.event.call_id for e in run.envelopes if isinstance(e.event, ToolProgress)] == [
        "scout__1",
        "scout__1",
    ]


async def test_a_subagent_gets_agents_or_tools_it_was_not_given():
    spec = AgentSpec("boss", "d", "i")
    tools = [AgentTool(SPEC), FakeTool("update_topic", kind="think")]
    run = await run_agent(call("scout", {"prompt": "x"}), done(), spec=spec, tools=tools)
    names = [tool["name"] for tool in run.ports.models.requests[1].tools]
    assert names == ["look", "other", "complete_task"]
    assert any(e.error_type == "tool_not_registered" for e in run.of(ToolFinished))


async def test_agent_hooks_fire_for_subagents_or_tool_hooks_do_not():
    hooks = FakeHooks()
    await run_agent(call("look"), done(), hooks=hooks)
    assert hooks.names.count("before_agent") == hooks.names.count("after_agent") == 1
    assert hooks.names.count("session_start") == hooks.names.count("session_end") == 1
    assert hooks.names.count("before_model") == 4
    assert [told[0].name for told in hooks.told("before_tool")] == [
        "scout",
        "look",
        "complete_task",
    ]


async def test_an_agent_that_just_stops_gets_no_second_chance():
    run = await run_agent(text("I am done"), done("after all"))
    assert "complete_task" in text_of(run.ports.models.requests[2].contents[-1].parts)
    assert "Termination Reason: GOAL\nResult:\nafter all" in reply(run)


async def test_an_agent_that_never_completes_goes_on_forever():
    run = await run_agent(text("done"), text("done, I said"))
    assert "Termination Reason: ERROR_NO_COMPLETE_TASK_CALL" in reply(run)
    assert "done" in reply(run)


async def test_the_step_limit_of_an_agent_is_the_parents():
    spec = AgentSpec("scout", "d", "i", max_steps=2)
    run = await run_agent(
        call("look", id="1"), call("look", id="2"), call("look", id="3"), spec=spec
    )
    assert "Termination Reason: MAX_TURNS" in reply(run)
    assert len(run.ports.models.requests) == 5


async def test_an_agent_outlives_its_time():
    spec = AgentSpec("scout", "d", "i", max_minutes=0.005)
    run = await run_agent(stall(), done("in time"), spec=spec)
    assert "Termination Reason: GOAL\nResult:\nin time" in reply(run)
    run = await run_agent(stall(), text("no"), spec=spec)
    assert "Termination Reason: TIMEOUT\nResult:\nAgent timed out" in reply(run)


async def test_a_persons_thinking_uses_up_an_agents_time():
    spec = AgentSpec("scout", "d", "i", max_minutes=0.005)
    models = sent(call("look"), done(), spec=spec)
    policy = FakePolicy({"look": Verdict.ASK})
    tools = [AgentTool(spec), FakeTool("look")]
    async with fake_session(
        models=models, tools=tools, policy=policy, answered_live=True, interactive=True
    ) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(AskRaised)
        loop = asyncio.get_running_loop()
        late = loop.create_future()
        loop.call_later(0.35, late.set_result, None)
        await late
        await run.session.send(AnswerAsk("look__1", "proceed_once"))
        await run.session.idle()
    raised = next(e for e in run.envelopes if isinstance(e.event, AskRaised))
    assert raised.agent == ("scout",)
    assert "Termination Reason: GOAL" in reply(run)


async def test_a_failing_agent_fails_its_parent():
    run = await run_agent([BadRequest("no such model", status=400)])
    assert reply(run) == "Subagent 'scout' failed. Error: no such model"
    assert run.of(ToolFinished)[-1].status == "success"
    assert run.of(ToolFinished)[-1].display == AgentProgress("scout", (), "failed")


async def test_a_declined_call_ends_the_agent():
    policy = FakePolicy({"look": Verdict.ASK})
    people = FakePeople("cancel")
    run = await run_agent(call("look"), done(), policy=policy, people=people, interactive=True)
    assert "find another way" in text_of(
        replies_of(run.ports.models.requests[2].contents[-1].parts)[0].parts
    )
    assert "GOAL" in reply(run)


async def test_cancelling_the_parent_leaves_the_agent_running():
    models = sent(stall())
    async with fake_session(models=models, tools=[AgentTool(SPEC)]) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(SessionOpened, 2)
        for _ in range(30):
            await asyncio.sleep(0)
        assert models.open == 1
        await run.session.send(Cancel())
        await run.session.idle()
        assert models.open == 0
        assert [e.end for e in run.of(TurnEnded)] == [End.CANCELLED, End.CANCELLED]
        (finished,) = run.of(ToolFinished)
        assert finished.status == "cancelled"
        assert finished.display == AgentProgress("scout", (), "cancelled")
        assert len(asyncio.all_tasks()) == 1


async def test_two_agents_of_one_name_share_a_history():
    models = FakeModels(
        [call("scout", {"prompt": "a"}, id="1"), call("scout", {"prompt": "b"}, id="2")],
        done("first", id="1"),
        done("second", id="2"),
        text("thanks"),
    )
    async with fake_session(models=models, tools=[AgentTool(SPEC)]) as run:
        await run.prompt("go")
    asked = [text_of(r.contents[0].parts) for r in models.requests[1:3]]
    assert sorted(asked) == ["a", "b"]
    turns = {e.turn_id for e in run.envelopes if e.agent}
    assert len(turns) == 2


@pytest.mark.parametrize("args", [{}, {"result": "  "}, {"result": 3}])
async def test_an_empty_result_is_taken(args):
    run = await run_agent(call("complete_task", args, id="8"), done("real"))
    assert "Result:\nreal" in reply(run)
    errors = [e for e in run.of(ToolFinished) if e.error_type == "invalid_tool_params"]
    assert len(errors) == 1


async def test_a_structured_result_is_flattened():
    schema = {"type": "object", "properties": {"report": {}}, "required": ["report"]}
    spec = AgentSpec("scout", "d", "i", output_schema=schema)
    run = await run_agent(call("complete_task", {"report": {"a": 1}}), spec=spec)
    assert 'Result:\n{\n  "a": 1\n}' in reply(run)


async def test_an_agent_is_called_without_a_task():
    models = FakeModels(call("scout", {"prompt": " "}), text("thanks"))
    async with fake_session(models=models, tools=[AgentTool(SPEC)]) as run:
        await run.prompt("go")
    assert run.of(ToolFinished)[0].error_type == "invalid_tool_params"


async def test_a_mode_granted_to_an_agent_ends_with_it():
    spec = AgentSpec("scout", "d", "i")
    policy = FakePolicy({"edit": Verdict.ASK})
    tools = [FakeTool("edit", kind="edit", parallel=False)]
    people = FakePeople("proceed_always")
    run = await run_agent(
        call("edit"), done(), spec=spec, policy=policy, people=people, tools=tools, interactive=True
    )
    assert run.session.view.mode is Mode.AUTO_EDIT
    changed = [e for e in run.envelopes if isinstance(e.event, ModeChanged)]
    assert [e.agent for e in changed] == [()]


async def test_the_clock_of_an_agent_stands_still_after_a_person_has_answered():
    spec = AgentSpec("scout", "d", "i", max_minutes=0.005)
    models = sent(call("look"), stall(), text("no"), spec=spec)
    policy = FakePolicy({"look": Verdict.ASK})
    people = FakePeople("proceed_once")
    tools = [AgentTool(spec), FakeTool("look")]
    async with fake_session(models=models, tools=tools, policy=policy, people=people) as run:
        await asyncio.wait_for(run.prompt("go"), 10)
    assert "Termination Reason: TIMEOUT" in reply(run)


async def test_an_agent_forgets_how_long_outputs_may_be_or_other_limits():
    long = FakeTool("look", ToolResult(for_model=(Text("x" * 5000),), truncate=True))
    models = sent(call("look"), done())
    limits = LoopLimits(truncate_threshold=100)
    async with fake_session(models=models, tools=[AgentTool(SPEC), long], limits=limits) as run:
        await run.prompt("go")
    inner = next(e.event for e in run.envelopes if isinstance(e.event, ToolFinished) and e.agent)
    assert "Output too large" in text_of(inner.reply.parts)


async def test_an_agent_whose_time_is_over_has_forgotten_what_it_found():
    spec = AgentSpec("scout", "d", "i", tools=("look",), max_minutes=0.005)
    run = await run_agent(call("look"), [text("so"), stall()], done("a cat"), spec=spec)
    assert "Termination Reason: GOAL\nResult:\na cat" in reply(run)
    last = run.ports.models.requests[3].contents
    assert [text_of(m.parts) for m in last][:1] == ["where?"]
    assert "a cat" in text_of(replies_of(last[2].parts)[0].parts)
    assert "time is over" in text_of(last[-1].parts)


@pytest.mark.parametrize(
    ("more", "script"),
    [
        ({"max_steps": 0}, [done("late")]),
        ({"max_steps": 1}, [call("look"), done("late")]),
        ({"max_minutes": 0.005}, [stall(), done("late")]),
        ({}, [text("hm"), done("late")]),
    ],
)
async def test_an_agent_with_a_second_chance_is_opened_twice(more, script):
    run = await run_agent(*script, spec=AgentSpec("scout", "d", "i", **more))
    assert "Termination Reason: GOAL\nResult:\nlate" in reply(run)
    theirs = [e for e in run.envelopes if e.agent]
    assert [type(e.event) for e in theirs].count(SessionOpened) == 1
    assert isinstance(theirs[0].event, SessionOpened)
    turns = [e.turn_id for e in theirs if isinstance(e.event, TurnEnded)]
    assert theirs[0].turn_id == turns[0] and len(set(turns)) == 2


async def test_an_agent_that_a_hook_stopped_counts_as_broken():
    hooks = FakeHooks(before_tool=[BeforeToolOutcome(), BeforeToolOutcome(stop="enough")])
    run = await run_agent(call("look"), hooks=hooks)
    assert "Termination Reason: ABORTED" in reply(run)
    assert "enough" in reply(run)


@pytest.mark.parametrize(
    ("args", "prompt"),
    [
        ({"prompt": "where?"}, "where?"),
        ({"where": "here", "what": "a cat"}, "where: here\nwhat: a cat"),
        ({}, "Get Started!"),
    ],
)
async def test_an_agent_is_told_something_else_than_it_was_called_with(args, prompt):
    spec = AgentSpec("scout", "d", "i", schema={"type": "object"})
    models = FakeModels(call("scout", args), done(), text("thanks"))
    async with fake_session(models=models, tools=[AgentTool(spec)]) as run:
        await run.prompt("go")
    assert text_of(models.requests[1].contents[-1].parts) == prompt


@pytest.mark.parametrize(
    ("more", "script", "mode", "result"),
    [
        ({"max_steps": 1}, [call("look"), text("no")], "MAX_TURNS", "max turns limit (1)."),
        ({"max_minutes": 0.005}, [stall(), text("no")], "TIMEOUT", "after 0.005 minutes."),
        ({}, [text("hm"), text("no")], "ERROR_NO_COMPLETE_TASK_CALL", "It said: hm"),
    ],
)
async def test_the_end_of_an_agent_is_told_in_other_words(more, script, mode, result):
    run = await run_agent(*script, spec=AgentSpec("scout", "d", "i", **more))
    assert f"Termination Reason: {mode}\nResult:\nAgent " in reply(run)
    assert reply(run).endswith(result)


async def test_an_agent_may_call_tools_by_a_pattern_it_was_not_given():
    spec = AgentSpec("scout", "d", "i", tools=("lo*", "mcp_*"))
    tools = [FakeTool("lo"), FakeTool("mcp_web"), FakeTool("slow")]
    run = await run_agent(call("slow"), done(), spec=spec, tools=tools)
    names = [tool["name"] for tool in run.ports.models.requests[1].tools]
    assert names == ["lo", "look", "mcp_web", "complete_task"]
    refused = [e for e in run.of(ToolFinished) if e.error_type == "tool_not_registered"]
    assert [e.error for e in refused] == ['Tool "slow" not found.']


async def test_an_agent_is_pointed_to_tools_it_may_not_call():
    tools = [FakeTool("lookup"), FakeTool("list")]
    run = await run_agent(call("lok"), done(), tools=tools)
    refused = [e for e in run.of(ToolFinished) if e.error_type == "tool_not_registered"]
    assert [e.error for e in refused] == ['Tool "lok" not found. Did you mean one of: look?']


async def test_two_questions_of_an_agent_start_its_clock_too_early():
    spec = AgentSpec("scout", "d", "i", max_minutes=0.005)
    models = sent([call("look", id="1"), call("look", id="2")], done(), spec=spec)
    policy = FakePolicy({"look": Verdict.ASK})
    tools = [AgentTool(spec), FakeTool("look")]
    async with fake_session(
        models=models, tools=tools, policy=policy, answered_live=True, interactive=True
    ) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.until(AskRaised, 2)
        await run.session.send(AnswerAsk("look__1", "proceed_once"))
        loop = asyncio.get_running_loop()
        late = loop.create_future()
        loop.call_later(0.35, late.set_result, None)
        await late
        await run.session.send(AnswerAsk("look__2", "proceed_once"))
        await run.session.idle()
    assert "Termination Reason: GOAL" in reply(run)
