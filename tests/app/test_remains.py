"""What the next request still holds after trouble: the product itself, over the wire."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gemini_cli.app.launch import Launch
from gemini_cli.app.start import start
from gemini_cli.app.wire.part import Part
from gemini_cli.ground.config import Env
from gemini_cli.protocol.display import PlainText
from gemini_cli.protocol.events import AskRaised, End, TextDelta, ToolProgress, TurnEnded
from gemini_cli.protocol.ops import AnswerAsk, Cancel
from gemini_cli.protocol.tools import ToolResult, TurnStopped
from gemini_cli.sdk.testing import ScriptedServer, answer, call, error, stall, text
from gemini_cli.sdk.testing.fakes import FakeTool


async def shows_and_hangs(args, ctx, answer):
    ctx.progress(PlainText("half of it"))
    await asyncio.get_running_loop().create_future()


TOOLS = (
    FakeTool("quick", "real output"),
    FakeTool("slow", shows_and_hangs),
    FakeTool("stops", ToolResult(effects=(TurnStopped("enough"),))),
)


class Talk:
    """A conversation with the product, in a home of its own."""

    def __init__(self, app, session, server, seen, told):
        self.app, self.session, self.server = app, session, server
        self.seen, self.told = seen, told

    async def says(self, words: str) -> End:
        await self.begins(words)
        return await self.ends()

    async def begins(self, words: str) -> None:
        await self.session.send(self.app.prompt(words, self.session))

    async def until(self, kind: type) -> None:
        while not any(isinstance(event, kind) for event in self.seen):
            self.told.clear()
            await self.told.wait()

    async def cancels(self) -> End:
        await self.session.send(Cancel())
        return await self.ends()

    async def ends(self) -> End:
        await self.session.idle()
        return [event for event in self.seen if isinstance(event, TurnEnded)][-1].end

    def story(self) -> list[str]:
        """The last request, a line per part, without what the product opens with."""
        lines = []
        for content in self.server.requests[-1].contents:
            for part in content["parts"]:
                lines.append(f"{content['role']}: {_line(part)}")
        first = next(i for i, line in enumerate(lines) if line.startswith("user: prompt"))
        return lines[first:]


def _line(part) -> str:
    if "functionCall" in part:
        return f"calls {part['functionCall']['name']}"
    if "functionResponse" in part:
        return str(part["functionResponse"]["response"])
    return part["text"]


@asynccontextmanager
async def talk(tmp_path: Path, *script, mode="yolo", answers=()):
    (tmp_path / "work").mkdir()
    seen, told, waiting, tasks = [], asyncio.Event(), list(answers), set()
    async with ScriptedServer(list(script)) as server, asyncio.timeout(20):
        env = Env(
            {
                "GEMINI_CLI_HOME": str(tmp_path),
                "GEMINI_API_KEY": "key",
                "GOOGLE_GEMINI_BASE_URL": server.url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
            }
        )
        wishes = Launch(model="gemini-2.5-flash", mode=mode, interactive=True)
        app = start(wishes, env, tmp_path / "work", tmp_path, warn=lambda text: None)

        def watch(envelope):
            seen.append(envelope.event)
            told.set()
            if isinstance(envelope.event, AskRaised):
                op = AnswerAsk(envelope.event.ask.id, waiting.pop(0))
                tasks.add(asyncio.create_task(session.send(op)))

        session = await app.open(Part(tools=TOOLS, watchers=(watch,)))
        try:
            yield Talk(app, session, server, seen, told)
        finally:
            await app.aclose()


async def test_a_prompt_cancelled_while_the_model_speaks_is_sent_again(tmp_path):
    script = [call("quick", {}), answer(text("half"), stall("mid")), text("ok")]
    async with talk(tmp_path, *script) as it:
        await it.begins("prompt 1")
        await it.until(TextDelta)
        assert await it.cancels() is End.CANCELLED
        assert await it.says("prompt 2") is End.COMPLETED
        assert it.story() == ["user: prompt 2"]


async def test_a_prompt_that_failed_is_sent_again(tmp_path):
    async with talk(tmp_path, text("ok"), error(400), text("fine")) as it:
        await it.says("prompt 1")
        assert await it.says("prompt 2") is End.FAILED
        await it.says("prompt 3")
        assert it.story() == ["user: prompt 1", "model: ok", "user: prompt 3"]


async def test_results_that_could_not_be_sent_are_forgotten(tmp_path):
    async with talk(tmp_path, call("quick", {}), error(400), text("fine")) as it:
        assert await it.says("prompt 1") is End.FAILED
        await it.says("prompt 2")
        first, asked, told, silence, last = it.story()
        assert (first, asked, last) == ("user: prompt 1", "model: calls quick", "user: prompt 2")
        assert told == "user: {'output': 'real output'}"
        assert silence.startswith("model: (My reply was interrupted")


async def test_results_of_cancelled_tools_are_forgotten(tmp_path):
    both = answer(call("quick", {}), call("slow", {}))
    async with talk(tmp_path, both, text("fine")) as it:
        await it.begins("prompt 1")
        await it.until(ToolProgress)
        assert await it.cancels() is End.CANCELLED
        assert len(it.server.requests) == 1
        await it.says("prompt 2")
        story = it.story()
        assert story[:3] == ["user: prompt 1", "model: calls quick", "model: calls slow"]
        assert story[3] == "user: {'output': 'real output'}"
        assert story[4].startswith("user: {'error': '[Operation Cancelled] Reason: ")
        assert "half of it" in story[4]
        assert story[5].startswith("model: (My reply was interrupted")
        assert story[6:] == ["user: prompt 2"]


async def test_one_declined_call_of_two_ends_the_turn(tmp_path):
    both = answer(call("quick", {}), call("quick", {"n": 2}))
    answers = ["cancel", "proceed_once"]
    async with talk(tmp_path, both, text("fine"), mode="default", answers=answers) as it:
        assert await it.says("prompt 1") is End.COMPLETED
        told = it.story()[3:]
        assert told[0].startswith("user: {'error': '[Operation Cancelled] Reason: ")
        assert told[1] == "user: {'output': 'real output'}"


async def test_a_turn_goes_on_although_everything_was_declined(tmp_path):
    script = [call("quick", {}), text("fine")]
    async with talk(tmp_path, *script, mode="default", answers=["cancel"]) as it:
        assert await it.says("prompt 1") is End.DECLINED
        assert len(it.server.requests) == 1
        await it.says("prompt 2")
        assert it.story()[2].startswith("user: {'error': '[Operation Cancelled] Reason: ")


async def test_a_tool_that_ends_the_turn_is_followed_by_a_request(tmp_path):
    async with talk(tmp_path, call("stops", {}), text("fine")) as it:
        assert await it.says("prompt 1") is End.STOPPED
        assert len(it.server.requests) == 1
        await it.says("prompt 2")
        assert len(it.story()) == 5


async def test_a_prompt_answered_in_circles_is_lost(tmp_path):
    chant = text("I will now look at the file and then I will think. " * 30)
    async with talk(tmp_path, chant, text("fine")) as it:
        assert await it.says("prompt 1") is End.COMPLETED
        prompt, note = it.story()
        assert prompt == "user: prompt 1"
        assert "same words" in note


@pytest.mark.parametrize("late", [False, True])
async def test_a_cut_that_was_cancelled_leaves_half_an_answer(tmp_path, late):
    async with talk(tmp_path, answer(text("half"), stall("mid")), text("ok"), text("fine")) as it:
        await it.begins("prompt 1")
        await it.begins("prompt 2")
        await it.until(TextDelta)
        assert await it.cancels() is End.COMPLETED
        if late:
            await it.says("prompt 3")
        told = ["model: ok", "user: prompt 3"] if late else []
        assert it.story() == ["user: prompt 2", *told]
