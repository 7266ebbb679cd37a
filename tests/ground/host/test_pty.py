"""A program on a terminal behaves as in front of a person, and goes away like any other."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from gemini_cli.ground.host import pty
from gemini_cli.ground.host.process import LocalProcess, LocalProcesses
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Exit, PtySize

pytestmark = pytest.mark.skipif(not pty.AVAILABLE, reason="this platform has no terminals")

ENV = {"PATH": os.environ["PATH"], "TERM": "xterm-256color"}


@pytest.fixture
async def processes():
    made = LocalProcesses()
    yield made
    await made.close()


async def shell(processes: LocalProcesses, script: str, cwd: Path, **size: int) -> LocalProcess:
    return await processes.start(
        ["sh", "-c", script], cwd=cwd, env=ENV, pty=PtySize(**size) if size else PtySize()
    )


async def text_of(process: LocalProcess) -> str:
    return b"".join([chunk async for chunk in process.output()]).decode()


class Screen:
    """Reads a process until something was said."""

    def __init__(self, process: LocalProcess) -> None:
        self.chunks = process.output()
        self.text = ""

    async def until(self, words: str) -> str:
        async with asyncio.timeout(5):
            while words not in self.text:
                self.text += (await anext(self.chunks)).decode()
        return self.text


async def test_the_program_has_a_controlling_terminal_of_the_right_size(processes, tmp_path):
    script = "test -t 0 && test -t 1 && test -t 2 && stty size </dev/tty; pwd; ps -o tty= -p $$"
    process = await shell(processes, script, tmp_path, columns=100, rows=33)
    size, folder, terminal = (await text_of(process)).split("\r\n")[:3]
    assert (size, folder) == ("33 100", str(tmp_path))
    assert re.match(r"pts/\d+|ttys\d+", terminal)
    assert await process.wait() == Exit(code=0)


async def test_typing_reaches_it_and_control_c_interrupts_it(processes, tmp_path):
    script = "trap 'echo caught; exit 4' INT; read name; echo hello $name; while :; do :; done"
    process = await shell(processes, script, tmp_path)
    screen = Screen(process)
    await process.write(b"Ann\n")
    await screen.until("hello Ann")
    await process.write(b"\x03")
    await screen.until("caught")
    assert await process.wait() == Exit(code=4)
    with pytest.raises(ToolProblem, match="ended"):
        await process.write(b"more")
    process.resize(PtySize())


async def test_a_resize_is_told_to_the_program(processes, tmp_path):
    script = "trap 'stty size' WINCH; echo ready; while :; do :; done"
    process = await shell(processes, script, tmp_path)
    screen = Screen(process)
    await screen.until("ready")
    process.resize(PtySize(columns=120, rows=40))
    await screen.until("40 120")
    await process.kill()
    assert isinstance(await process.wait(), Exit)


async def test_the_last_words_of_a_fast_program_are_not_lost(processes, tmp_path):
    process = await shell(processes, "seq 1 20000", tmp_path)
    lines = (await text_of(process)).split("\r\n")
    assert lines[-2:] == ["20000", ""]
    assert len(lines) == 20001


async def test_a_job_left_on_the_terminal_does_not_hold_up_the_end(processes, tmp_path):
    process = await shell(processes, "nohup sleep 300 & echo $!", tmp_path)
    job = int((await text_of(process)).split()[0])
    assert await process.wait() == Exit(code=0)
    await process.kill()
    assert not Path(f"/proc/{job}").exists() or "Z" in Path(f"/proc/{job}/stat").read_text()


async def test_a_killed_program_leaves_no_open_file(tmp_path):
    processes = LocalProcesses()
    await (await shell(processes, "true", tmp_path)).wait()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(4):
        process = await shell(processes, "sleep 300", tmp_path)
        await process.kill()
    with pytest.raises(ToolProblem, match="no such program"):
        await processes.start(["nothing-here"], cwd=tmp_path, env=ENV, pty=PtySize())
    with pytest.raises(ToolProblem, match="working folder"):
        await processes.start(["sh"], cwd=tmp_path / "missing", env=ENV, pty=PtySize())
    await processes.close()
    assert len(os.listdir("/proc/self/fd")) == before
