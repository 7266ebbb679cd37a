"""Whole event lists of six sessions, compared to the letter.

`GEMINI_UPDATE_GOLDENS=1` writes them anew; read the difference before committing it.
"""

import asyncio
import os
from pathlib import Path

import pytest

from gemini_cli.engine.loop import AgentTool
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.codec import decode_envelope, encode
from gemini_cli.protocol.display import CommandPreview, PlainText
from gemini_cli.protocol.events import AskRaised, Envelope, TextDelta, Unknown
from gemini_cli.protocol.hooks import (
    AfterToolOutcome,
    BeforeAgentOutcome,
    BeforeModelOutcome,
    BeforeToolOutcome,
    Said,
    SessionStartOutcome,
)
from gemini_cli.protocol.messages import Call, Message, Reply, Text
from gemini_cli.protocol.model import Chunk
from gemini_cli.protocol.ops import AnswerAsk, Cancel, Prompt
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.session import Source
from gemini_cli.protocol.tools import ToolResult
from gemini_cli.sdk.testing.fakes import (
    FakeHooks,
    FakePolicy,
    FakePrompts,
    FakeTool,
    call,
    fake_session,
    retried,
    stall,
    text,
    thought,
)

FOLDER = Path(__file__).parents[2] / "corpora" / "events"
LISTING = ToolResult((Text("a.txt\nb.txt"),), display=PlainText("2 entries"))


async def plain() -> list[Envelope]:
    script = [
        [
            thought("**Looking**\nI list the folder."),
            text("Let me look."),
            call("ls", {"dir": "."}),
        ],
        [retried(delay_ms=1500), text("There are "), text("two files.")],
    ]
    async with fake_session(*script, tools=[FakeTool("ls", LISTING)]) as run:
        await run.prompt("What is here?")
    return run.envelopes


async def ask() -> list[Envelope]:
    preview = CommandPreview("rm a.txt", "/work", ("rm",))
    tools = [
        FakeTool("run_shell_command", "removed", kind="execute", preview=preview),
        FakeTool("write_file", "written", kind="edit", parallel=False),
    ]
    script = [
        [
            call("run_shell_command", {"command": "rm a.txt"}, id="1"),
            call("write_file", {"file_path": "b", "content": "x"}, id="2"),
        ],
        [text("Removed, not written.")],
    ]
    policy = FakePolicy({tool.name: Verdict.ASK for tool in tools})
    async with fake_session(
        *script, tools=tools, policy=policy, interactive=True, answered_live=True
    ) as run:
        await run.session.send(Prompt((Text("Clean up"),)))
        first = await run.until(AskRaised, 1)
        await run.session.send(AnswerAsk(first.ask.id, "proceed_once"))
        second = await run.until(AskRaised, 2)
        await run.session.send(AnswerAsk(second.ask.id, "cancel", by="ide"))
        await run.session.idle()
    return run.envelopes


async def hook_rewrite() -> list[Envelope]:
    hooks = FakeHooks(
        session_start=SessionStartOutcome(context="Project rules apply."),
        before_agent=BeforeAgentOutcome(context="It is Monday.", said=(Said("day.sh", "Monday"),)),
        before_model=[
            BeforeModelOutcome(),
            BeforeModelOutcome(response=(Chunk((Text("Answered by a hook."),)),)),
        ],
        before_tool=BeforeToolOutcome(args={"dir": "src"}),
        after_tool=AfterToolOutcome(context="3 more are hidden"),
    )
    script = [[call("ls", {"dir": "."})]]
    async with fake_session(*script, tools=[FakeTool("ls", LISTING)], hooks=hooks) as run:
        await run.prompt("What is here?")
    return run.envelopes


async def cancel() -> list[Envelope]:
    async def hangs(args, ctx, answer):
        ctx.progress(PlainText("50 %"))
        await asyncio.get_running_loop().create_future()

    script = [[text("Half an ans"), stall()], [call("build"), call("ls", id="2")], [text("Ready.")]]
    tools = [FakeTool("build", hangs, parallel=False), FakeTool("ls", LISTING)]
    async with fake_session(*script, tools=tools) as run:
        await run.session.send(Prompt((Text("Tell me"),)))
        await run.until(TextDelta)
        await run.session.send(Cancel())
        await run.session.idle()
        await run.session.send(Prompt((Text("Build it"),)))
        for _ in range(40):
            await asyncio.sleep(0)
        await run.session.send(Cancel())
        await run.session.idle()
        await run.prompt("Where were we?")
    return run.envelopes


async def resume() -> list[Envelope]:
    at = "2029-12-31T00:00:00.000Z"
    stored = (
        Message("m1", "user", (Text("Earlier"),), at),
        Message("m2", "model", (Text("Yes?"), Call("ls__7", "ls", {})), at, origin="model"),
        Message("m3", "user", (Reply("ls__7", "ls", (Text("a.txt"),)),), at, origin="tool"),
    )
    opening = (Message("never", "user", (Text("Never seen"),), at, origin="context"),)
    prompts = FakePrompts(opening=opening)
    async with fake_session(
        [text("As I said.")], history=stored, source=Source.RESUME, prompts=prompts
    ) as run:
        await run.prompt("Go on")
    return run.envelopes


async def subagent() -> list[Envelope]:
    spec = AgentSpec("scout", "Looks around.", "You look around.", max_steps=5)
    script = [
        [call("scout", {"prompt": "Find the cat"})],
        [text("Looking."), call("ls", {"dir": "."})],
        [call("complete_task", {"result": "It is in b.txt"}, id="2")],
        [text("In b.txt.")],
    ]
    async with fake_session(*script, tools=[AgentTool(spec), FakeTool("ls", LISTING)]) as run:
        await run.prompt("Where is the cat?")
    return run.envelopes


@pytest.mark.parametrize("log", [plain, ask, hook_rewrite, cancel, resume, subagent])
async def test_a_session_tells_something_else_than_before(log):
    envelopes = await log()
    path = FOLDER / f"{log.__name__}.jsonl"
    told = b"".join(encode(envelope) + b"\n" for envelope in envelopes)
    if os.environ.get("GEMINI_UPDATE_GOLDENS") == "1":
        path.write_bytes(told)
    assert told.decode().splitlines() == path.read_text().splitlines()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_golden_log_loses_something_in_the_codec(path):
    for line in path.read_bytes().splitlines():
        envelope = decode_envelope(line)
        assert not isinstance(envelope.event, Unknown)
        assert encode(envelope) == line
