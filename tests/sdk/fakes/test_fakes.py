"""The fakes behave as the ports promise, record what they are asked, and refuse surprises."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from gemini_cli.protocol.errors import Overloaded, ToolProblem
from gemini_cli.protocol.events import End, Failed
from gemini_cli.protocol.hooks import AfterAgentOutcome, BeforeAgentOutcome, HookContext
from gemini_cli.protocol.host import Exit, PtySize
from gemini_cli.protocol.messages import text_of
from gemini_cli.protocol.mode import Mode
from gemini_cli.protocol.model import ModelRequest
from gemini_cli.protocol.people import Ask
from gemini_cli.protocol.session import SessionView
from gemini_cli.sdk.testing.fakes import (
    FakeCatalog,
    FakeClock,
    FakeFiles,
    FakeHooks,
    FakeModels,
    FakePeople,
    FakeProcesses,
    FakeTool,
    FakeWorkspace,
    call,
    error,
    fake_ports,
    fake_session,
    stall,
    text,
)

VIEW = SessionView("s", "/work", Mode.DEFAULT, "m")
REQUEST = ModelRequest("m", ())
CONTEXT = HookContext("s", "", "/work", "now")


async def collected(models):
    async with aclosing(models.stream(REQUEST)) as stream:
        return [item async for item in stream]


async def test_time_passes_or_ids_differ_between_runs():
    for _ in range(2):
        clock = FakeClock()
        await clock.sleep(61.5)
        clock.pass_by(1)
        assert (clock.now(), clock.monotonic()) == ("2030-01-01T00:01:02.500Z", 62.5)
        assert [clock.new_id(), clock.new_id()] == ["id-1", "id-2"]
        assert clock.slept == [61.5]


async def test_an_answer_has_no_end_or_two():
    items = await collected(FakeModels(text("hi")))
    assert [item.finish for item in items] == [None, "STOP"]
    assert items[1].usage is not None
    assert await collected(FakeModels(text("hi", "MAX_TOKENS"))) == [text("hi", "MAX_TOKENS")]
    assert await collected(FakeModels([text("hi")], finish=None)) == [text("hi")]


async def test_a_request_beyond_the_script_is_answered():
    models = FakeModels()
    with pytest.raises(AssertionError, match="request 1 is not in the script"):
        await collected(models)
    models.add(text("hi"), text("ho"))
    await collected(models)
    assert models.left == 1
    with pytest.raises(AssertionError, match="utility"):
        await models.ask("flash", ())


async def test_an_unexpected_request_passes_a_test():
    async with fake_session() as run:
        ended = await run.prompt("hi")
    assert ended.end is End.FAILED
    assert "not in the script" in run.of(Failed)[0].problem.message


async def test_an_error_or_a_stall_lets_the_stream_end():
    with pytest.raises(Overloaded):
        await collected(FakeModels([text("hi"), error(Overloaded("busy"))]))
    models = FakeModels(stall())
    task = asyncio.ensure_future(collected(models))
    for _ in range(5):
        await asyncio.sleep(0)
    assert models.open == 1
    task.cancel()
    await asyncio.wait([task])
    assert models.open == 0


async def test_calls_get_ids_without_their_name():
    (part,) = call("ls", {"a": 1}, id="7").parts
    assert (part.id, part.name, part.args) == ("ls__7", "ls", {"a": 1})


async def test_a_hook_outcome_of_the_wrong_kind_is_taken():
    hooks = FakeHooks(before_agent=AfterAgentOutcome())
    with pytest.raises(TypeError, match="before_agent wants a BeforeAgentOutcome"):
        await hooks.before_agent(CONTEXT, "hi")


async def test_hook_outcomes_do_not_run_out():
    hooks = FakeHooks(before_agent=[BeforeAgentOutcome(context="x")])
    assert (await hooks.before_agent(CONTEXT, "1")).context == "x"
    assert (await hooks.before_agent(CONTEXT, "2")).context is None
    assert hooks.told("before_agent") == [("1",), ("2",)]


async def test_people_answer_what_nobody_scripted():
    ask = Ask("a", "approval", "May I?", (), "cancel")
    assert (await FakePeople().ask(ask)).by == "nobody"
    with pytest.raises(AssertionError, match="May I"):
        await FakePeople(present=True).ask(ask)


async def test_files_in_memory_behave_unlike_files():
    files = FakeFiles({"/a/b.txt": "hello"})
    assert await files.read(Path("/a/b.txt"), limit=2) == b"he"
    assert (await files.stat(Path("/a"))).kind == "dir"
    assert await files.stat(Path("/z")) is None
    await files.write(Path("/a/c/d.txt"), b"x")
    assert [(name, stat.kind) for name, stat in await files.list(Path("/a"))] == [
        ("b.txt", "file"),
        ("c", "dir"),
    ]
    await files.delete(Path("/a/b.txt"))
    for missing in (files.read, files.delete):
        with pytest.raises(ToolProblem):
            await missing(Path("/a/b.txt"))


async def test_processes_do_not_end_or_cannot_be_ended():
    processes = FakeProcesses(b"out", code=3)
    process = await processes.start(["ls", "-l"], cwd=Path("/"), env={})
    assert [chunk async for chunk in process.output()] == [b"out"]
    assert await process.wait() == Exit(code=3)
    assert processes.argvs == [("ls", "-l")]
    endless = await FakeProcesses(code=None).start(["x"], cwd=Path("/"), env={})
    endless.resize(PtySize(1, 2))
    assert endless.running
    await endless.kill()
    assert await endless.wait() == Exit(signal=15)


def test_a_path_leaves_the_workspace():
    workspace = FakeWorkspace("/work")
    assert workspace.resolve("a/../b") == Path("/work/b")
    assert workspace.shown(Path("/work/b")) == "b"
    with pytest.raises(ToolProblem):
        workspace.resolve("../etc")
    workspace.add(Path("/etc"))
    assert workspace.resolve("/etc/x") == Path("/etc/x")


def test_the_catalog_finds_what_it_does_not_have():
    tool = FakeTool("read")
    catalog = FakeCatalog([tool])
    assert catalog.find("read", VIEW) is tool
    assert catalog.find("write", VIEW) is None
    assert catalog.near("reed", VIEW) == ["read"]


def test_ports_cannot_be_overridden():
    clock = FakeClock()
    assert fake_ports(clock=clock).clock is clock
    with pytest.raises(TypeError):
        fake_ports(klock=clock)


async def test_the_example_of_the_readme_is_wrong():
    tool = FakeTool("greet", lambda args, ctx, answer: f"hello {args['name']}")
    async with fake_session([call("greet", {"name": "Ada"})], text("done"), tools=[tool]) as run:
        ended = await run.prompt("hello")
        assert ended.end is End.COMPLETED
        assert run.replies == ["hello Ada"]
    assert text_of(run.history[0].parts) == "hello"
    assert isinstance(run.ports.models, FakeModels)
