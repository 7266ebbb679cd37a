"""Runs the tool calls of one answer in waves, and sees that each gets exactly one reply.

Neighbours that may run beside each other share a wave; a wave is prepared together, run
together and finished in the model's order. What goes wrong inside a call becomes its reply.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence

from msgspec.structs import replace

from gemini_cli.engine.loop.bounds import as_reply, bounded
from gemini_cli.engine.loop.course import Course, wrapped
from gemini_cli.engine.loop.gate import Gate, mcp_facts
from gemini_cli.engine.loop.readable import readable_result
from gemini_cli.engine.loop.run import WAIT_FLAG, CallRun, bug
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.events import CallState, Event
from gemini_cli.protocol.messages import Blob, Call, Reply, Text
from gemini_cli.protocol.tools import TailCalled, ToolResult, TurnStopped, failed

TOPIC_TOOL = "update_topic"
_STOPPED = "the agent was stopped."


class Batch:
    """The calls of one answer, or one call of a person (`own`)."""

    def __init__(
        self,
        state: State,
        calls: Iterable[Call],
        publish: Callable[[Event], None],
        *,
        own: bool = False,
        trusted: bool = False,
    ) -> None:
        self._state = state
        self._hooked = not trusted
        self._course = Course(state, publish)
        self._gate = Gate(state, self._course, own=own, trusted=trusted)
        now = state.ports.clock.monotonic()
        self.runs = [CallRun(call, publish, now) for call in calls]

    async def run(self) -> None:
        """Runs everything. When cancelled, `settle` must follow.

        All calls are announced before the first one runs, so that whoever follows knows
        what is to come.
        """
        for run in self.runs:
            self._gate.prepared(run)
        for wave in self._waves():
            if reason := self._why_not():
                self._call_off(wave, reason)
            await self._together(self._admit(run) for run in wave if not run.settled)
            if any(run.stop is not None for run in wave):
                self._call_off(wave, _STOPPED)
            await self._together(self._perform(run) for run in wave if not run.settled)
            self._finish(wave)

    def settle(self, reason: str) -> None:
        """Gives every call that has none a reply saying it was cancelled, and ends them all."""
        for run in self.runs:
            self._call_off((run,), reason)
            self._finish((run,))

    @property
    def replies(self) -> tuple[Reply, ...]:
        """One reply per call, in the model's order."""
        return tuple(run.reply for run in self.runs if run.reply is not None)

    @property
    def media(self) -> tuple[Blob, ...]:
        """What can only be sent beside the replies."""
        return tuple(blob for run in self.runs for blob in run.media)

    @property
    def stopped(self) -> str | None:
        """Why no further request may be made, if a hook or a tool said so."""
        for run in self.runs:
            if run.stop is not None:
                return run.stop
            for effect in run.effects:
                if isinstance(effect, TurnStopped):
                    return effect.reason
        return None

    @property
    def all_declined(self) -> bool:
        """Whether a person wanted none of it; telling the topic does not count."""
        counted = [run for run in self.runs if run.name != TOPIC_TOOL]
        refused = any(run.declined for run in counted)
        return refused and all(run.status is CallState.CANCELLED for run in counted)

    @property
    def agent_output(self) -> str | None:
        """The answer of a subagent that finished with one of these calls."""
        return next((run.ended_agent.output for run in self.runs if run.ended_agent), None)

    def _waves(self) -> list[list[CallRun]]:
        """The calls in the order they run; topics come first."""
        waves: list[list[CallRun]] = []
        open_wave = False
        for run in sorted(self.runs, key=lambda run: run.name != TOPIC_TOOL):
            beside = self._may_share(run)
            if beside and open_wave:
                waves[-1].append(run)
            else:
                waves.append([run])
            open_wave = beside
        return waves

    def _may_share(self, run: CallRun) -> bool:
        if run.name == TOPIC_TOOL or run.args.get(WAIT_FLAG) is True:
            return False
        return run.parallel

    def _why_not(self) -> str | None:
        """Why the calls that are left do not run."""
        if any(run.declined for run in self.runs):
            return "an earlier call of the same answer was declined."
        if any(run.stop is not None for run in self.runs):
            return _STOPPED
        if self.agent_output is not None:
            return "the task was completed by an earlier call."
        return None

    def _call_off(self, runs: Sequence[CallRun], reason: str) -> None:
        """Cancels those that have no reply yet."""
        for run in runs:
            if not run.settled:
                run.cancel(reason)

    async def _together(self, jobs: Iterable[Coroutine[None, None, None]]) -> None:
        todo = list(jobs)
        if len(todo) == 1:
            await todo[0]
        elif todo:
            async with asyncio.TaskGroup() as group:
                for job in todo:
                    group.create_task(job)

    async def _admit(self, run: CallRun) -> None:
        try:
            await self._gate.admit(run)
        except Exception as problem:
            run.fail(*bug(problem))

    async def _perform(self, run: CallRun) -> None:
        """Runs an admitted call, and whatever it hands over to, until there is a reply."""
        try:
            while not run.settled:
                run.tell(CallState.EXECUTING)
                result = await self._executed(run)
                going_on, tail = await self._after(run, result)
                if not going_on:
                    return
                if tail is None:
                    await self._conclude(run, result)
                else:
                    await self._hand_over(run, tail)
        except Exception as problem:
            run.fail(*bug(problem))
        finally:
            self._state.processes.pop(run.call.id, None)

    async def _executed(self, run: CallRun) -> ToolResult:
        """The tool's own work, with what is done around it."""
        invocation, ctx, around = run.invocation, run.ctx, self._state.ports.around
        assert invocation is not None and ctx is not None
        try:
            for each in around:
                await each.before(run.now_called, invocation)
            result = _checked(await invocation.run(ctx, run.answer), run.name)
            for each in around:
                changed = await each.after(run.now_called, invocation, result)
                result = _checked(changed, run.name)
        except ToolProblem as problem:
            return readable_result(failed(str(problem), problem.kind))
        return readable_result(result)

    async def _after(self, run: CallRun, result: ToolResult) -> tuple[bool, TailCalled | None]:
        """What hooks make of a result: whether it still counts, and the tool to go on with."""
        tails = (effect for effect in result.effects if isinstance(effect, TailCalled))
        tail = next(tails, None)
        if not self._hooked:
            return True, tail
        mcp = mcp_facts(run.tool)
        outcome = await self._course.after_tool(run.now_called, result, mcp, run.original)
        if outcome.stop is not None:
            run.stop = outcome.stop
            run.fail(f"A hook stopped the agent: {outcome.stop}", "stop_execution")
            return False, None
        if outcome.block is not None:
            run.fail(outcome.block, "policy_violation")
            return False, None
        if outcome.context:
            run.notes.append(wrapped(outcome.context))
        return True, outcome.tail or tail

    async def _conclude(self, run: CallRun, result: ToolResult) -> None:
        result = await bounded(self._state, run.call, result)
        result = _noted(result, run.notes)
        reply, run.media = as_reply(run.call, result)
        run.settle(result, reply)

    async def _hand_over(self, run: CallRun, tail: TailCalled) -> None:
        """Another tool goes on under the same id; the model sees the one it asked for."""
        run.tails += 1
        if run.tails > self._state.limits.tail_calls:
            text = f"{run.name} handed over to {tail.name}, but that was one hand-over too many."
            run.fail(text, "execution_failed")
            return
        run.original = run.call.name
        run.name, run.args, run.answer = tail.name, tail.args, None
        if self._gate.prepared(run):
            await self._gate.admit(run)

    def _finish(self, wave: Sequence[CallRun]) -> None:
        """Tells the ends in the model's order and makes the changes the tools asked for."""
        for run in wave:
            if run.finished:
                continue
            run.finish(self._now())
            for effect in run.effects:
                try:
                    self._state.apply(effect)
                except Exception as problem:  # the other calls must get their ends, too
                    text = f"{run.name} wanted a change that could not be made: {problem}"
                    self._state.notice("warning", text, "effect_failed")

    def _now(self) -> float:
        return self._state.ports.clock.monotonic()


def _checked(result: object, name: str) -> ToolResult:
    """The result, if it is one: anything else would fail where a reply can no longer be given."""
    if isinstance(result, ToolResult) and isinstance(result.data, dict):
        return result
    raise TypeError(f"{name} must return a ToolResult, but returned {type(result).__name__}.")


def _noted(result: ToolResult, notes: list[str]) -> ToolResult:
    """The result with the notes of hooks behind it."""
    if not notes:
        return result
    if result.error is not None:
        return replace(result, error="\n".join([result.error, *notes]))
    return replace(result, for_model=(*result.for_model, *(Text(note) for note in notes)))
