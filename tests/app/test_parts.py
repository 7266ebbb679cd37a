"""Whoever opens a session can add tools, watchers, guards and work around calls to it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gemini_cli.app.app import App
from gemini_cli.app.launch import Launch
from gemini_cli.app.start import start
from gemini_cli.app.wire.part import Part
from gemini_cli.ground.config import Env
from gemini_cli.protocol.events import Envelope, ToolFinished, TurnEnded
from gemini_cli.protocol.ports import Go, Stop
from gemini_cli.protocol.tools import said
from gemini_cli.sdk.testing import ScriptedServer, call, text
from gemini_cli.sdk.testing.fakes import FakeTool


@pytest.fixture
def launch(tmp_path: Path) -> Callable[[str], App]:
    """Starts the product in a workspace and a home of its own."""
    work = tmp_path / "work"
    work.mkdir()

    def started(url: str) -> App:
        env = Env(
            {
                "GEMINI_CLI_HOME": str(tmp_path),
                "GEMINI_API_KEY": "key",
                "GOOGLE_GEMINI_BASE_URL": url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
            }
        )
        wishes = Launch(model="gemini-2.5-flash", mode="yolo")
        return start(wishes, env, work, tmp_path, warn=lambda text: None)

    return started


async def answered(app: App, extra: Part) -> list[Envelope]:
    seen: list[Envelope] = []
    session = await app.open(
        Part(
            tools=extra.tools,
            around=extra.around,
            guards=extra.guards,
            watchers=(*extra.watchers, seen.append),
        )
    )
    await session.send(app.prompt("hi", session))
    await session.idle()
    await app.aclose()
    return seen


async def test_a_tool_of_the_opener_is_offered_and_called(launch):
    tool = FakeTool("fruit", "plum", required=["colour"])
    async with ScriptedServer([call("fruit", {"colour": "blue"}), text("A plum.")]) as server:
        seen = await answered(launch(server.url), Part(tools=(tool,)))
    names = [
        declared["name"] for declared in server.requests[0].body["tools"][0]["functionDeclarations"]
    ]
    assert "fruit" in names and "read_file" in names
    assert tool.calls == [{"colour": "blue"}]
    assert server.requests[1].replies[0]["response"] == {"output": "plum"}
    assert isinstance(seen[-1].event, TurnEnded) and seen[-1].event.text == "A plum."


class Stamp:
    """Adds a word to each result."""

    def __init__(self) -> None:
        self.before_calls: list[str] = []

    async def before(self, call, invocation) -> None:
        self.before_calls.append(call.name)

    async def after(self, call, invocation, result):
        return said("stamped")


async def test_work_around_calls_sees_the_call_and_changes_its_result(launch):
    stamp, tool = Stamp(), FakeTool("fruit", "plum")
    async with ScriptedServer([call("fruit", {}), text("ok")]) as server:
        seen = await answered(launch(server.url), Part(tools=(tool,), around=(stamp,)))
    replies = [e.event.reply.parts[0].text for e in seen if isinstance(e.event, ToolFinished)]
    assert stamp.before_calls == ["fruit"] and replies == ["stamped"]


class OneStep:
    """Ends a turn before its second request."""

    def __init__(self) -> None:
        self._steps = 0

    def saw(self, event) -> None:
        pass

    def tripped(self) -> bool:
        return False

    async def before_step(self, view):
        self._steps += 1
        return Go() if self._steps == 1 else Stop("stopped", "enough")


async def test_a_guard_of_the_opener_ends_the_turn(launch):
    async with ScriptedServer([call("fruit", {})]) as server:
        seen = await answered(
            launch(server.url), Part(tools=(FakeTool("fruit"),), guards=(OneStep,))
        )
    assert (seen[-1].event.end, len(server.requests)) == ("stopped", 1)


async def test_two_sessions_of_one_app_do_not_share_their_parts(launch):
    async with ScriptedServer([text("one"), text("two")]) as server:
        app = launch(server.url)
        first, second = [], []
        one = await app.open(Part(tools=(FakeTool("fruit"),), watchers=(first.append,)))
        two = await app.open(Part(watchers=(second.append,)))
        await one.send(app.prompt("hi", one))
        await one.idle()
        await two.send(app.prompt("hi", two))
        await two.idle()
        await app.aclose()
    offered = ["fruit" in str(request.body["tools"]) for request in server.requests]
    assert offered == [True, False]
    assert {e.session_id for e in first}.isdisjoint(e.session_id for e in second)
