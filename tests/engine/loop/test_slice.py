"""A plain prompt and a tool call, from the words to the end of the turn."""

from gemini_cli.protocol.events import (
    CallState,
    End,
    ModelReplied,
    SessionOpened,
    TextDelta,
    ToolChanged,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.messages import Reply, Text
from gemini_cli.sdk.testing.fakes import FakeModels, FakeTool, call, fake_session, text


async def test_events_of_a_plain_prompt_come_in_another_order():
    async with fake_session([text("Hel"), text("lo")]) as run:
        ended = await run.prompt("hi")
    assert [type(event) for event in run.events] == [
        SessionOpened,
        TurnStarted,
        TextDelta,
        TextDelta,
        ModelReplied,
        UsageReported,
        TurnEnded,
    ]
    assert ended == TurnEnded(End.COMPLETED, "Hello", None, 1)
    assert [message.role for message in run.history] == ["user", "model"]


async def test_a_tool_result_does_not_reach_the_next_request():
    models = FakeModels([text("looking"), call("look", {"at": "x"})], text("seen"))
    tool = FakeTool("look", "a cat")
    async with fake_session(models=models, tools=[tool]) as run:
        ended = await run.prompt("what is there?")
    assert tool.calls == [{"at": "x"}]
    assert ended.text == "seen"
    assert models.requests[1].contents[-1].parts == (Reply("look__1", "look", (Text("a cat"),)),)
    states = [event.state for event in run.of(ToolChanged)]
    assert states == [
        CallState.VALIDATING,
        CallState.SCHEDULED,
        CallState.EXECUTING,
        CallState.SUCCESS,
    ]
    (finished,) = run.of(ToolFinished)
    assert (finished.status, finished.decision) == ("success", "accept")
