"""What a running tool is given: the machine through the ports, and ways to show itself.

Children it starts are noted under its call id, so that a person may type into them or end
them while they run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gemini_cli.engine.loop.run import CallRun
from gemini_cli.engine.loop.state import State
from gemini_cli.protocol.events import CallState
from gemini_cli.protocol.host import Process, Processes, PtySize
from gemini_cli.protocol.tools import ToolContext


class NotedProcesses:
    """Starts children as the port does, and notes the latest one of a call."""

    def __init__(self, inner: Processes, table: dict[str, Process], call_id: str) -> None:
        self._inner = inner
        self._table = table
        self._call_id = call_id

    async def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        pty: PtySize | None = None,
        stdin: bytes | None = None,
    ) -> Process:
        """Starts a child and notes it."""
        process = await self._inner.start(argv, cwd=cwd, env=env, pty=pty, stdin=stdin)
        self._table[self._call_id] = process
        return process


def context(state: State, run: CallRun) -> ToolContext:
    """The context of one call."""
    ports = state.ports
    return ToolContext(
        call_id=run.call.id,
        session_id=state.session_id,
        view=state.view(),
        files=ports.files,
        processes=NotedProcesses(ports.processes, state.processes, run.call.id),
        workspace=ports.workspace,
        models=ports.models,
        clock=ports.clock,
        scratch=ports.scratch,
        progress=run.show,
        started=lambda pid: run.tell(CallState.EXECUTING, pid=pid),
        env=ports.child_env,
        pty=ports.pty,
        delegate=state.delegate,
    )
