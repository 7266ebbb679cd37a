"""Every part a session is built from fails once, at every point where it is used.

Whatever happens: each call has its reply, the turn ends, and the next prompt is answered.
"""

import asyncio
import inspect

import pytest

from gemini_cli.engine.loop import AgentTool
from gemini_cli.engine.loop.repair import repaired
from gemini_cli.protocol.agents import AgentSpec
from gemini_cli.protocol.events import (
    End,
    ToolChanged,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from gemini_cli.protocol.hooks import AfterAgentOutcome, BeforeToolOutcome
from gemini_cli.protocol.messages import Text, calls_of, replies_of
from gemini_cli.protocol.ops import Prompt, RunCall, Shell
from gemini_cli.protocol.policy import Verdict
from gemini_cli.protocol.ports import Go
from gemini_cli.protocol.tools import RootAdded, TailCalled, ToolResult
from gemini_cli.sdk.testing.fakes import (
    FakeCatalog,
    FakeHooks,
    FakeModels,
    FakePeople,
    FakePolicy,
    FakeTool,
    call,
    fake_ports,
    fake_session,
    text,
)


class Faulty:
    """Stands for `inner`; using `name` for the `nth` time raises, counted over all stand-ins."""

    def __init__(self, inner, name, nth, uses):
        self._inner, self._name, self._nth, self._uses = inner, name, nth, uses

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        if name != self._name:
            return value
        if not callable(value):
            self.use()
            return value
        if inspect.iscoroutinefunction(value):

            async def later(*args, **more):
                self.use()
                return await value(*args, **more)

            return later

        def now(*args, **more):
            self.use()
            return value(*args, **more)

        return now

    def use(self):
        self._uses.append(self._name)
        if len(self._uses) == self._nth:
            raise RuntimeError("boom")


class FaultyCalls:
    """A tool whose prepared calls are faulty."""

    def __init__(self, tool, fault):
        self._tool, self._fault = tool, fault

    def __getattr__(self, name):
        return getattr(self._tool, name)

    def prepare(self, args):
        return self._fault(self._tool.prepare(args))


class Quiet:
    """A guard, and something around calls, that changes nothing."""

    def saw(self, event):
        pass

    def tripped(self):
        return False

    async def before_step(self, view):
        return Go()

    async def before(self, called, invocation):
        pass

    async def after(self, called, invocation, result):
        return result


POINTS = {
    "models": ("choose", "stream", "limits"),
    "catalog": ("declared", "find", "near"),
    "prompts": ("system", "opening", "delta"),
    "policy": ("decide", "hides", "choices", "grant"),
    "hooks": (
        *("before_agent", "after_agent", "before_model", "before_tool_selection", "after_model"),
        *("before_tool", "after_tool", "pre_compress", "notification"),
    ),
    "people": ("ask", "present"),
    "files": ("write",),
    "workspace": ("add", "target"),
    "around": ("before", "after"),
    "guards": ("saw", "tripped", "before_step", "made"),
    "tool": (
        *("declaration", "prepare", "name", "kind", "parallel", "display_name", "read_only"),
        *("server",),
    ),
    "invocation": ("title", "kind", "locations", "preview", "question", "run"),
}
ALL = [(room, name) for room, names in POINTS.items() for name in names]


def script():
    return [
        [call("read", id="1"), call("edit", id="2"), call("nowhere", id="3")],
        [call("hop", id="4"), call("root", id="5"), call("long", id="6")],
        [call("scout", {"prompt": "x"}, id="7")],
        [call("read", id="1")],
        [call("complete_task", {"result": "r"}, id="2")],
        text("done"),
        *[text("spare")] * 3,
    ]


def faulty_ports(models, room, name, nth, uses):
    def fault(inner):
        return Faulty(inner, name, nth, uses)

    def guard():
        fault(Quiet()).use() if name == "made" else None
        return fault(Quiet())

    tools = [
        FakeTool("read", "words"),
        FakeTool("edit", "changed", kind="edit", parallel=False),
        FakeTool("hop", ToolResult(effects=(TailCalled("read", {}),))),
        FakeTool("root", ToolResult(effects=(RootAdded("sub"),))),
        FakeTool("long", ToolResult((Text("y" * 50_000),), truncate=True)),
        AgentTool(AgentSpec("scout", "Looks.", "You look.")),
    ]
    parts = {
        "models": models,
        "catalog": FakeCatalog(tools),
        "policy": FakePolicy({"edit": Verdict.ASK}),
        "people": FakePeople(*["proceed_always"] * 20),
        "around": (Quiet(),),
        "hooks": FakeHooks(
            before_tool=[BeforeToolOutcome(ask="sure?")],
            after_agent=[AfterAgentOutcome(block="more")],
        ),
    }
    match room:
        case "around":
            parts["around"] = (fault(Quiet()),)
        case "guards":
            parts["guards"] = (guard,)
        case "tool":
            parts["catalog"] = FakeCatalog([fault(tool) for tool in tools])
        case "invocation":
            parts["catalog"] = FakeCatalog([FaultyCalls(tool, fault) for tool in tools])
        case _:
            parts[room] = fault(getattr(fake_ports(**parts), room))
    return fake_ports(**parts)


def assert_whole(run):
    assert repaired(run.history) == run.history
    called = [each.id for message in run.history for each in calls_of(message.parts)]
    assert called == [r.call_id for m in run.history for r in replies_of(m.parts)]
    told = {(e.turn_id, e.event.call.id) for e in run.envelopes if isinstance(e.event, ToolChanged)}
    ended = [
        (e.turn_id, e.event.call.id) for e in run.envelopes if isinstance(e.event, ToolFinished)
    ]
    assert sorted(ended) == sorted(told)
    started = [e.turn_id for e in run.envelopes if isinstance(e.event, TurnStarted)]
    over = [e.turn_id for e in run.envelopes if isinstance(e.event, TurnEnded)]
    assert set(started) <= set(over) and len(over) == len(set(over))


async def failed_once(room, name, nth):
    """Whether the part was used that often."""
    lost = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: lost.append(context))
    uses = []
    models = FakeModels(*script())
    ports = faulty_ports(models, room, name, nth, uses)
    before = asyncio.all_tasks()
    async with fake_session(ports=ports, interactive=True) as run:
        await run.session.send(Prompt((Text("go"),)))
        await run.session.send(RunCall("edit", {}))
        await run.session.send(Shell("ls"))
        await run.session.idle()
        for _ in range(1000):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == before
        assert_whole(run)
        assert models.open == 0
        reached = len(uses) >= nth
        models.__init__(*[text("fine")] * 3)
        assert (await run.prompt("next")).end is End.COMPLETED or len(uses) == nth
        assert_whole(run)
    assert lost == []
    return reached


@pytest.mark.parametrize(("room", "name"), ALL)
async def test_a_part_that_fails_leaves_calls_without_replies(room, name):
    nth = 1
    while await asyncio.wait_for(failed_once(room, name, nth), 20):
        nth += 1 if nth < 6 else 4
    assert nth > 1, "never used"


async def test_end_hooks_that_fail_leave_readers_waiting():
    class Failing(FakeHooks):
        async def session_end(self, ctx, reason):
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError):
        async with fake_session(hooks=Failing()) as run:
            reader = run.session.subscribe()
    assert [envelope async for envelope in reader] == []


@pytest.mark.parametrize("result", [None, "words", ToolResult(data=None), ToolResult(None)])
async def test_a_tool_that_returns_nonsense_breaks_the_history(result):
    class Odd(FakeTool):
        async def work(self, args, ctx, answer):
            return result

    async with fake_session(call("t"), text("ok"), tools=[Odd("t")]) as run:
        assert (await run.prompt("go")).end is End.COMPLETED
        assert_whole(run)
    assert run.of(ToolFinished)[0].error_type == "unhandled_exception"
    assert run.replies[0].startswith("TypeError: ")


async def test_a_request_that_fails_by_a_bug_is_not_counted():
    async with fake_session([text("half"), KeyError("oops")]) as run:
        assert (await run.prompt("go")).end is End.FAILED
    assert [event.error_kind for event in run.of(UsageReported)] == ["KeyError"]
