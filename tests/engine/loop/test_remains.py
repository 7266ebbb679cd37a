"""What remains of a turn that was cancelled or failed at an unusual moment."""

import asyncio

import pytest

from gemini_cli.engine.loop import LoopLimits
from gemini_cli.protocol.errors import BadRequest
from gemini_cli.protocol.events import (
    End,
    MessageAdded,
    Notice,
    TextDelta,
    ToolChanged,
    ToolFinished,
    TurnEnded,
    TurnStarted,
)
from gemini_cli.protocol.hooks import AfterAgentOutcome, BeforeAgentOutcome
from gemini_cli.protocol.messages import Blob, Message, Text, Usage, replies_of, text_of
from gemini_cli.protocol.model import Chunk
from gemini_cli.protocol.ops import Cancel, Clear, Prompt, Rewind, Shell
from gemini_cli.protocol.ports import Go
from gemini_cli.protocol.tools import RootAdded, ToolResult, TopicSet
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakeModels,
    FakePrompts,
    FakeTool,
    FakeWorkspace,
    call,
    fake_session,
    stall,
    text,
)


def words(said: str, **more) -> Prompt:
    return Prompt((Text(said),), **more)


async def forever(args, ctx, answer):
    await asyncio.get_running_loop().create_future()


def said(run) -> list[str]:
    return [text_of(message.parts) for message in run.history]


async def cancelled(run, prompt: Prompt) -> None:
    await run.session.send(prompt)
    await run.until(TextDelta, len(run.of(TextDelta)) + 1)
    await run.session.send(Cancel())
    await run.session.idle()


async def test_a_cancelled_prompt_takes_the_opening_or_news_along():
    opening = (Message("o", "user", (Text("today"),), "2030-01-01T00:00:00Z", origin="context"),)
    prompts = FakePrompts(opening=opening)
    prompts.news = [(Text("file open"),)]
    models = FakeModels([text("half"), stall()], text("ok"))
    async with fake_session(models=models, prompts=prompts) as run:
        await cancelled(run, words("first"))
        assert said(run) == ["today", "file open"]
        await run.prompt("second")
        assert said(run) == ["today", "file open", "second", "ok"]


async def test_a_cancelled_prompt_leaves_its_token_count():
    used = Chunk((call("t").parts[0],), "STOP", Usage(input=900))
    models = FakeModels([used], [text("half"), stall()])
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        await cancelled(run, words("go"))
        assert run.session.view.prompt_tokens == 0


async def test_a_cancel_while_the_last_hooks_think_takes_a_finished_answer_back():
    asked = asyncio.Event()

    class Slow(FakeHooks):
        async def after_agent(self, ctx, prompt, response, active):
            asked.set()
            await asyncio.get_running_loop().create_future()

    async with fake_session(text("answer"), hooks=Slow()) as run:
        await run.session.send(words("go"))
        await asked.wait()
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.of(TurnEnded) == [TurnEnded(End.CANCELLED, steps=1)]
        assert said(run) == ["go", "answer"]


async def test_a_cancel_after_hooks_cleared_the_context_keeps_their_demand():
    hooks = FakeHooks(
        after_agent=[AfterAgentOutcome(), AfterAgentOutcome(clear=True, block="once more")]
    )
    models = FakeModels(text("1"), text("2"), [text("half"), stall()])
    async with fake_session(models=models, hooks=hooks) as run:
        await run.prompt("first")
        await run.session.send(words("second"))
        await run.until(TextDelta, 3)
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.history == ()


async def test_a_cancel_while_guards_think_after_tools_keeps_half_of_the_prompt():
    class Thinking:
        def saw(self, event):
            self.done = isinstance(event, ToolFinished)

        def tripped(self):
            return False

        async def before_step(self, view):
            if view.turn_steps:
                await asyncio.get_running_loop().create_future()
            return Go()

    guards = (Thinking,)
    async with fake_session(call("t"), tools=[FakeTool("t")], guards=guards) as run:
        await run.session.send(words("go"))
        await run.until(ToolFinished)
        for _ in range(20):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.history == ()


async def test_a_failure_after_steering_takes_the_first_answer_along():
    release = asyncio.Event()

    class Slow(FakeModels):
        async def stream(self, request):
            async for item in super().stream(request):
                if len(self.requests) == 1:
                    await release.wait()
                yield item

    models = Slow(text("precious"), [BadRequest("no")])
    async with fake_session(models=models, limits=LoopLimits(steering=True)) as run:
        await run.session.send(words("go"))
        await run.until(TurnStarted)
        for _ in range(20):
            await asyncio.sleep(0)
        await run.session.send(words("also this", delivery="steer"))
        release.set()
        await run.session.idle()
        assert run.of(TurnEnded)[0].end is End.FAILED
        assert said(run) == ["go", "precious"]


async def test_words_said_too_late_for_a_turn_are_lost_or_change_places():
    class Slow(FakeHooks):
        async def after_agent(self, ctx, prompt, response, active):
            if prompt == "go":
                asked.set()
                await release.wait()
            return AfterAgentOutcome()

    asked, release = asyncio.Event(), asyncio.Event()
    models = FakeModels(text("1"), text("2"), text("3"), text("4"))
    limits = LoopLimits(steering=True)
    async with fake_session(models=models, hooks=Slow(), limits=limits) as run:
        await run.session.send(words("go"))
        await asked.wait()
        await run.session.send(words("queued"))
        await run.session.send(words("late", delivery="steer"))
        await run.session.send(words("later", delivery="steer"))
        release.set()
        await run.session.idle()
    prompts = [text_of(event.message.parts) for event in run.of(TurnStarted)]
    assert prompts == ["go", "late", "later", "queued"]


async def test_what_is_queued_begins_while_the_program_is_being_stopped():
    async with fake_session([text("half"), stall()], text("never")) as run:
        await run.session.send(words("go"))
        await run.session.send(words("queued"))
        await run.until(TextDelta)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await run.session.idle()
    assert len(run.of(TurnStarted)) == 1


async def test_a_session_that_was_cleared_is_still_at_its_limit():
    async with fake_session(text("a"), text("b"), limits=LoopLimits(max_steps=1)) as run:
        await run.prompt("1")
        await run.session.send(Clear("fresh"))
        assert (await run.prompt("2")).end is End.COMPLETED


async def test_an_id_stays_taken_after_its_call_was_rolled_back():
    models = FakeModels(call("t"), [text("half"), stall()], call("t"), text("ok"))
    async with fake_session(models=models, tools=[FakeTool("t")]) as run:
        await cancelled(run, words("go"))
        await run.prompt("again")
    assert [event.call.id for event in run.of(ToolFinished)] == ["t__1", "t__1"]


@pytest.mark.parametrize("tries", [1, 3])
async def test_repetitions_of_one_request_use_up_the_limit_on_steps(tries):
    models = FakeModels(*[Chunk(finish="STOP")] * tries, call("t"), text("ok"))
    limits = LoopLimits(max_steps=2)
    async with fake_session(models=models, tools=[FakeTool("t")], limits=limits) as run:
        ended = await run.prompt("go")
    assert (ended.end, ended.steps) == (End.COMPLETED, 2)


async def test_a_failure_after_early_steering_keeps_a_prompt_that_nobody_answered():
    class Slow(FakeHooks):
        async def before_agent(self, ctx, prompt):
            asked.set()
            await release.wait()
            return BeforeAgentOutcome()

    asked, release = asyncio.Event(), asyncio.Event()
    models = FakeModels([BadRequest("no")])
    limits = LoopLimits(steering=True)
    async with fake_session(models=models, hooks=Slow(), limits=limits) as run:
        await run.session.send(words("go"))
        await asked.wait()
        await run.session.send(words("also this", delivery="steer"))
        release.set()
        await run.session.idle()
    assert run.of(TurnEnded)[0].end is End.FAILED
    assert run.history == ()


async def test_a_cancel_after_a_cleared_context_brings_the_old_token_count_back():
    hooks = FakeHooks(
        after_agent=[AfterAgentOutcome(), AfterAgentOutcome(clear=True, block="once more")]
    )
    big = Chunk((Text("1"),), "STOP", Usage(input=900))
    async with fake_session(big, text("2"), [text("half"), stall()], hooks=hooks) as run:
        await run.prompt("first")
        assert run.session.view.prompt_tokens == 900
        await run.session.send(words("second"))
        await run.until(TextDelta, 3)
        await run.session.send(Cancel())
        await run.session.idle()
        assert run.history == ()
        assert run.session.view.prompt_tokens == 0


async def test_a_change_that_cannot_be_made_keeps_replies_out_of_the_history():
    class Full(FakeWorkspace):
        def add(self, root, *, read_only=False):
            raise OSError("too many folders")

    adds = ToolResult((Text("added"),), effects=(RootAdded("sub"), TopicSet("folders")))
    tools = [FakeTool("t", adds), FakeTool("slow", forever)]
    calls = [call("t", id="1"), call("slow", id="2")]
    async with fake_session(calls, tools=tools, workspace=Full()) as run:
        await run.session.send(words("go"))
        await run.until(ToolChanged, 6)
        for _ in range(20):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        assert [r.call_id for r in replies_of(run.history[-1].parts)] == ["t__1", "slow__2"]
        assert run.session.view.topic == "folders"
        (notice,) = run.of(Notice)
        assert (notice.level, notice.code) == ("warning", "effect_failed")
        assert "too many folders" in notice.text


async def test_media_that_follow_are_told_as_words_of_the_model():
    film = ToolResult((Text("a film"), Blob("video/mp4", b"x")))
    async with fake_session(
        call("read_file"), text("ok"), tools=[FakeTool("read_file", film)]
    ) as run:
        await run.prompt("go")
    told = [(e.message.role, e.message.origin) for e in run.of(MessageAdded)]
    assert told == [("model", "notice"), ("user", "tool")]


async def test_what_a_person_did_between_two_turns_never_reaches_the_history():
    async with fake_session(text("a"), text("b"), tools=[FakeTool("run_shell_command")]) as run:
        await run.prompt("first")
        await run.session.send(Shell("ls"))
        await run.until(MessageAdded)
        assert run.session.view.turn_id is None
        await run.session.send(Rewind(run.history[-1].id))
        await run.session.idle()
        assert said(run) == ["first", "a"]
