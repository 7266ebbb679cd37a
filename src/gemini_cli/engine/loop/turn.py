"""One turn: from a prompt until the loop is idle again, and what remains when it fails.

The only place that swallows a cancellation, and only one that the session itself asked
for. It owns the order of things; requests are made by `step`, calls run in `calls`.
"""

import asyncio
import logging
from typing import Literal

from gemini_cli.engine.loop.calls import Batch
from gemini_cli.engine.loop.course import Course, wrapped
from gemini_cli.engine.loop.guards import own_guards
from gemini_cli.engine.loop.inbox import Inbox
from gemini_cli.engine.loop.opening import bridge, open_history, prompt_message, steered
from gemini_cli.engine.loop.over import Over
from gemini_cli.engine.loop.problems import ending
from gemini_cli.engine.loop.state import State
from gemini_cli.engine.loop.step import Step
from gemini_cli.protocol.events import End, Event, Failed, Problem, TurnEnded, TurnStarted
from gemini_cli.protocol.messages import Text, calls_of, text_of
from gemini_cli.protocol.ops import Prompt
from gemini_cli.protocol.ports import CompactNow, Go, Guard, Inject, Stop

_log = logging.getLogger(__name__)
_DROPPING = frozenset({End.FAILED, End.REFUSED, End.OVERFLOW, End.INVALID_STREAM, End.MAX_STEPS})
"""Ends after which a prompt that nobody answered is taken back."""
_TURN_LIMIT = "FatalTurnLimitedError"
"""The name that scripts know for a reached limit."""


class Turn:
    """Works on one prompt. Made for one `run`."""

    def __init__(self, state: State, prompt: Prompt, turn_id: str, inbox: Inbox) -> None:
        self.turn_id = turn_id
        self._state = state
        self._prompt = prompt
        self._inbox = inbox
        self._task: asyncio.Task[object] | None = None
        self._cancels = 0
        self._reason = ""
        self._phase: Literal["model", "tools", "ending"] = "model"
        self._mark = 0
        self._sent = 0
        self._tokens = state.prompt_tokens
        self._left = state.limits.continuations
        self._words: list[str] = []
        self._said: list[str] = []
        self._demanded = False
        self._guards: list[Guard] = list(own_guards(state.limits))
        self._course = Course(state, self._publish)
        self._step = Step(state, self._course, self._guards, self._publish, self._watch)

    def cancel(self, reason: str) -> None:
        """Ends the turn at its next breath. May be said again if it does not listen."""
        self._cancels += 1
        self._reason = reason
        if self._task is not None and not self._task.done():
            self._task.cancel()  # before it has a task, it looks at the count itself

    async def run(self) -> TurnEnded:
        """Runs to the end, whichever it is. A cancellation from outside is passed on."""
        state = self._state
        self._task = asyncio.current_task()
        state.turn_id, state.turn_steps = self.turn_id, 0
        self._mark = self._sent = len(state.history)
        state.prompt_id = self._prompt.prompt_id or state.session_id
        try:
            ended = await self._survived()
        except asyncio.CancelledError:
            ended = self._cancelled()
            if not self._asked_for():
                self._close(ended)
                raise
        self._close(ended)
        return ended

    async def _survived(self) -> TurnEnded:
        """The whole turn, its failures turned into an end."""
        try:
            self._guards.extend(make() for make in self._state.ports.guards)
            await self._open()
            await self._steps()
            return self._ended(End.COMPLETED)
        except Over as over:
            return self._over(over)
        except Exception as error:
            _log.debug("the turn failed", exc_info=True)
            return self._over(ending(error))

    async def _open(self) -> None:
        """Puts the prompt into the history and asks the hooks about it."""
        state = self._state
        bridge(state)
        open_history(state)
        self._mark = self._sent = len(state.history)
        message = prompt_message(state, self._prompt)
        state.history.commit(message)
        self._publish(TurnStarted(message, state.prompt_id))
        self._breathe()
        if state.is_child:
            return
        outcome = await self._course.before_agent(text_of(self._prompt.parts))
        if outcome.stop is not None:
            raise Over(End.STOPPED, outcome.stop)
        if outcome.block is not None:
            state.rollback(self._mark, "blocked")
            raise Over(End.BLOCKED, outcome.block)
        if outcome.context:
            state.add("user", (Text(wrapped(outcome.context)),), "hook")

    async def _steps(self) -> None:
        """Step after step until the model has nothing more to do."""
        while True:
            await self._between()
            message = await self._step.run()
            if message is None:
                continue
            words = text_of(message.parts)
            self._words.append(words)
            self._said.append(words)
            if calls := calls_of(message.parts):
                self._said.clear()
                await self._call(Batch(self._state, calls, self._publish))
            elif not self._steered() and not await self._more_demanded():
                return

    async def _between(self) -> None:
        """The moment before a step: new ports, words of the person, and the guards."""
        self._breathe()
        self._state.refitted()
        self._state.release()
        self._steered()
        for guard in tuple(self._guards):
            match await guard.before_step(self._state.view()):
                case Stop(end=end, text=text):
                    raise _stopped(end, text)
                case Inject(parts=parts, notice=notice):
                    self._spend()
                    if notice:
                        self._state.notice("info", notice, "guard")
                    self._state.add("user", parts, "notice")
                case CompactNow():
                    text = "The history should be compressed, which this version cannot do yet."
                    self._state.notice("warning", text, "compact")
                case Go():
                    pass

    def _breathe(self) -> None:
        """Notices a cancellation that came too early, or that something swallowed."""
        if self._cancels:
            raise asyncio.CancelledError

    async def _call(self, batch: Batch) -> None:
        """Runs the calls; whatever happens, each has its reply in the history afterwards."""
        state = self._state
        self._phase = "tools"
        try:
            await batch.run()
        finally:
            batch.settle(self._reason or "the turn was ended.")
            state.history.commit(state.message("user", batch.replies, "tool"))
        self._phase = "model"
        if media := batch.media:
            state.add("model", (Text("(The media follow.)"),), "notice")
            state.add("user", media, "tool")
        self._check(batch)

    def _check(self, batch: Batch) -> None:
        """Ends the turn where the calls say so."""
        if batch.agent_output is not None:
            self._said[:] = [batch.agent_output]
            raise Over(End.COMPLETED)
        if batch.stopped is not None:
            raise Over(End.STOPPED, batch.stopped)
        if batch.all_declined and not self._state.is_child:
            raise Over(End.DECLINED)
        full = (run.result for run in batch.runs)
        for result in full:
            if result and result.error_type == "no_space_left" and not self._state.interactive:
                text = result.error or "No space is left on the disk."
                problem = Problem("ToolExecutionError", text, exit_code=54)
                raise Over(End.FAILED, text, problem)

    def _steered(self) -> bool:
        """Adds what the person said meanwhile."""
        waiting = self._inbox.steering()
        if waiting and self._state.history.messages[-1].role == "model":
            self._sent = len(self._state.history)
        for each in waiting:
            steered(self._state, each.op)
        return bool(waiting)

    async def _more_demanded(self) -> bool:
        """Asks the hooks whether the turn may end; True when it has to go on."""
        if self._state.is_child:
            return False
        self._phase = "ending"
        response = "\n".join(words for words in self._words if words)
        prompt = text_of(self._prompt.parts)
        outcome = await self._course.after_agent(prompt, response, self._demanded)
        if outcome.clear:
            self._state.replace_history((), "clear")
            self._mark = self._tokens = 0
        if outcome.stop is not None:
            raise Over(End.STOPPED, outcome.stop)
        if outcome.block is None:
            return False
        self._spend()
        self._demanded = True
        self._phase = "model"
        self._sent = len(self._state.history)
        self._state.add("user", (Text(outcome.block),), "hook")
        return True

    def _spend(self) -> None:
        """Takes one of the continuations a turn has without tools."""
        if self._left <= 0:
            text = "The turn went on by itself too often; it ends here."
            raise _stopped(End.MAX_STEPS, text)
        self._left -= 1

    def _over(self, over: Over) -> TurnEnded:
        """What remains, and the end that is told."""
        state = self._state
        if over.end in _DROPPING and state.history.unanswered_from(self._sent):
            state.rollback(self._sent, over.end.value)
        problem = over.problem
        if problem is None and over.text:
            problem = Problem(over.end.value, over.text, exit_code=0)
        if over.end in _DROPPING and over.end is not End.MAX_STEPS and problem is not None:
            self._publish(Failed(problem))
        return self._ended(over.end, problem)

    def _cancelled(self) -> TurnEnded:
        """Takes the whole prompt back while the model was at it; keeps what tools did."""
        if self._phase == "model" and not self._state.is_child:
            self._state.rollback(self._mark, "cancelled")
            self._state.prompt_tokens = self._tokens
        return self._ended(End.CANCELLED)

    def _asked_for(self) -> bool:
        """Whether the cancellation was ours, all of it; ours are taken off the task's count."""
        task = asyncio.current_task()
        assert task is not None
        while self._cancels and task.cancelling():
            self._cancels -= 1
            task.uncancel()
        return not task.cancelling()

    def _ended(self, end: End, problem: Problem | None = None) -> TurnEnded:
        text = "".join(self._said) if end is not End.CANCELLED else ""
        return TurnEnded(end, text, problem, self._state.turn_steps)

    def _close(self, ended: TurnEnded) -> None:
        """The last word of the turn."""
        self._publish(ended)
        self._state.turn_id = None
        self._state.release()
        self._state.refitted()

    def _publish(self, event: Event) -> None:
        self._state.publish(event, self.turn_id)
        self._watch(event)

    def _watch(self, event: Event) -> None:
        """Shows an event to the guards; one that cannot take it in watches no longer."""
        for guard in tuple(self._guards):
            try:
                guard.saw(event)
            except Exception as problem:
                self._guards.remove(guard)
                text = f"{type(guard).__name__} failed and no longer watches: {problem}"
                self._state.notice("warning", text, "guard_failed")


def _stopped(end: str, text: str) -> Over:
    """An end that a guard or a limit wants; an unknown word counts as a stop."""
    known = End(end) if end in set(End) else End.STOPPED
    if known is End.MAX_STEPS:
        return Over(known, text, Problem(_TURN_LIMIT, text, exit_code=53))
    return Over(known, text, Problem(known.value, text, exit_code=0))
