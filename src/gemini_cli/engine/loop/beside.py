"""Calls beside the turn: tools that a person or a program runs, and input for running ones.

They pass the same gate and tell the same events as the model's calls, under an id of their
own; the conversation is left as it is, except that a person's command line becomes known.
"""

import asyncio
import re

from gemini_cli.engine.loop.calls import Batch
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.errors import GeminiError
from gemini_cli.protocol.events import Event, Notice
from gemini_cli.protocol.host import PtySize
from gemini_cli.protocol.ids import prefixed
from gemini_cli.protocol.messages import Call, Text, text_of
from gemini_cli.protocol.ops import CallInput, RunCall, Shell

SHELL_TOOL = "run_shell_command"
_SHOWN = 10_000


class Beside:
    """The calls that run beside the turn."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, op: RunCall | Shell) -> str:
        """Starts a call; the id its events carry in place of a turn's."""
        new_id = self._state.ports.clock.new_id()
        if isinstance(op, Shell):
            call = Call(prefixed(SHELL_TOOL, new_id), SHELL_TOOL, {"command": op.command})
        else:
            call = Call(op.call_id or prefixed(op.name, new_id), op.name, op.args)
        task = asyncio.create_task(self._run(call, new_id, shell=isinstance(op, Shell)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return new_id

    async def input(self, op: CallInput) -> None:
        """Types into, resizes or ends what a running call has started."""
        process = self._state.processes.get(op.call_id)
        if process is None:
            text = f"Call {op.call_id} has no running process to send this to."
            self._state.notice("warning", text, "call_input")
            return
        try:
            if op.data is not None:
                await process.write(op.data)
            if op.size is not None:
                process.resize(PtySize(*op.size))
            if op.action == "kill":
                await process.kill()
            elif op.action == "background":
                text = "Sending a running command to the background is not built yet."
                self._state.notice("warning", text, "call_input")
        except (GeminiError, OSError) as problem:
            text = f"Call {op.call_id} did not take the input: {problem}"
            self._state.notice("warning", text, "call_input")

    async def aclose(self) -> None:
        """Cancels what still runs and waits for its end."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=self._state.limits.patience)

    async def _run(self, call: Call, turn_id: str, *, shell: bool) -> None:
        def publish(event: Event) -> None:
            self._state.publish(event, turn_id)

        batch = Batch(self._state, (call,), publish, own=True, trusted=shell)
        try:
            await batch.run()
        except Exception as problem:
            text = f"Unexpected error: {type(problem).__name__}: {problem}"
            self._state.publish(Notice("error", text, "internal_error"), turn_id)
        finally:
            batch.settle("the session was closed.")
        if shell:
            self._remember(call, batch)

    def _remember(self, call: Call, batch: Batch) -> None:
        """Lets the model know, with its next prompt, what the person ran."""
        result = "\n".join(text_of(reply.parts) for reply in batch.replies)
        if (more := len(result) - _SHOWN) > 0:
            result = f"{result[:_SHOWN]}\n[{more:,} more characters are left out]"
        command = _fenced(call.args["command"], "sh")
        text = f"I ran this command myself:\n{command}\nIt gave:\n{_fenced(result)}"
        self._state.add_when_balanced((Text(text),))


def _fenced(text: str, kind: str = "") -> str:
    """The text between fences that it cannot close itself."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"
