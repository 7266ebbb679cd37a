"""Children are heard to the end, never outlive their owner, and leave nothing behind."""

import asyncio
import contextlib
import os
import resource
import sys
from pathlib import Path

import pytest

from gemini_cli.ground.host import family
from gemini_cli.ground.host.channel import Tail
from gemini_cli.ground.host.process import LocalProcess, LocalProcesses
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Exit, PtySize

ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
async def processes():
    made = LocalProcesses()
    yield made
    await made.close()


async def shell(processes: LocalProcesses, script: str, cwd: Path, **more) -> LocalProcess:
    return await processes.start(["/bin/sh", "-c", script], cwd=cwd, env=ENV, **more)


async def text_of(process: LocalProcess) -> str:
    return b"".join([chunk async for chunk in process.output()]).decode()


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


async def pids_from(process: LocalProcess, count: int) -> list[int]:
    """The first `count` numbers the process says."""
    seen = b""
    async for chunk in process.output():
        seen += chunk
        if seen.count(b"\n") >= count:
            break
    return [int(line) for line in seen.split()[:count]]


async def test_output_and_errors_arrive_in_the_order_they_were_written(processes, tmp_path):
    process = await shell(processes, "echo 1; echo 2 >&2; echo 3; echo 4 >&2", tmp_path)
    assert await text_of(process) == "1\n2\n3\n4\n"
    assert await process.wait() == Exit(code=0)


async def test_code_and_signal_are_told_apart(processes, tmp_path):
    assert await (await shell(processes, "exit 7", tmp_path)).wait() == Exit(code=7)
    assert await (await shell(processes, "kill -9 $$", tmp_path)).wait() == Exit(signal=9)


async def test_a_command_that_reads_input_does_not_wait_for_a_person(processes, tmp_path):
    process = await shell(processes, "cat; read x || echo closed", tmp_path)
    assert await text_of(process) == "closed\n"
    with pytest.raises(ToolProblem, match="no input"):
        await process.write(b"x")


async def test_given_input_arrives_whole_and_ends(processes, tmp_path):
    process = await shell(processes, "wc -c", tmp_path, stdin=b"x" * 3_000_000)
    assert (await text_of(process)).strip() == "3000000"


async def test_a_command_that_ignores_its_input_is_no_error(processes, tmp_path):
    process = await shell(processes, "exec true", tmp_path, stdin=b"x" * 3_000_000)
    assert await process.wait() == Exit(code=0)


async def test_the_child_sees_only_what_it_is_given(processes, tmp_path):
    process = await processes.start(
        [sys.executable, "-c", "import os; print(sorted(os.environ), os.getcwd())"],
        cwd=tmp_path,
        env={"ONLY": "1", "LC_CTYPE": "C.UTF-8"},
    )
    assert await text_of(process) == f"['LC_CTYPE', 'ONLY'] {tmp_path}\n"


@pytest.mark.parametrize(
    ("argv", "cwd", "words"),
    [
        (["no-such-program"], ".", "no-such-program"),
        (["/bin/sh"], "missing", "working folder"),
        (["./plain"], ".", "executed"),
        (["./noise"], ".", "neither a program"),
        (["a\0b"], ".", "NUL"),
        (["/bin/echo", "x" * 3_000_000], ".", "too long"),
        ([], ".", "no command"),
    ],
)
async def test_a_failed_start_says_why(processes, tmp_path, argv, cwd, words):
    (tmp_path / "plain").write_text("")
    (tmp_path / "noise").write_bytes(b"\0")
    (tmp_path / "noise").chmod(0o755)
    with pytest.raises(ToolProblem, match=words) as caught:
        await processes.start(argv, cwd=tmp_path / cwd, env=ENV)
    assert caught.value.kind == "shell_execute_error"


async def test_a_grandchild_that_keeps_the_pipe_does_not_hold_up_the_end(processes, tmp_path):
    process = await shell(processes, "sleep 300 & echo $!; echo done", tmp_path)
    text = await text_of(process)
    assert text.endswith("done\n")
    assert await process.wait() == Exit(code=0)
    assert alive(int(text.split()[0]))
    await process.kill()
    assert not alive(int(text.split()[0]))


async def test_a_grandchild_that_keeps_writing_neither_blocks_nor_dies(processes, tmp_path):
    script = "(while :; do echo noise; done) & echo $!"
    process = await shell(processes, script, tmp_path)
    await process.wait()
    kept = process.tail.total
    text = process.tail.read()
    other = await shell(processes, "echo next", tmp_path)
    await other.wait()
    noisy = int(next(line for line in text.split() if line.isdigit()))
    assert alive(noisy)
    assert process.tail.total == kept
    await process.kill()
    assert not alive(noisy)


TREE = """
sh -c 'trap "" TERM; sh -c "trap \\"\\" TERM; echo \\$\\$; while :; do sleep 300; done"' &
setsid sh -c 'echo $$; while :; do sleep 300; done' &
(sh -c 'echo $$; while :; do sleep 300; done' &)
echo $$
wait
"""


async def test_cancelling_a_waiting_task_ends_the_whole_tree(processes, tmp_path):
    process = await shell(processes, TREE, tmp_path)
    pids = await pids_from(process, 4)
    assert all(alive(pid) for pid in pids)

    async def tool() -> None:
        try:
            await process.wait()
        finally:
            await process.kill()

    task = asyncio.create_task(tool())
    await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(20):
        with contextlib.suppress(asyncio.CancelledError):
            await task
    assert [pid for pid in pids if alive(pid)] == []


async def test_cancelling_twice_does_not_spare_the_stubborn(processes, tmp_path):
    process = await shell(processes, TREE, tmp_path)
    pids = await pids_from(process, 4)
    task = asyncio.create_task(process.kill(grace=60))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await process.wait()
    await process.kill()
    assert [pid for pid in pids if alive(pid)] == []


async def test_a_stopped_process_can_be_ended(processes, tmp_path):
    process = await shell(processes, "echo $$; kill -STOP $$; echo never", tmp_path)
    pids = await pids_from(process, 1)
    await process.kill()
    assert not alive(pids[0])


async def test_a_polite_process_may_say_goodbye(processes, tmp_path):
    script = "trap 'echo bye; exit 3' TERM; echo ready; while :; do :; done"
    process = await shell(processes, script, tmp_path)
    async for _ in process.output():
        break
    await process.kill(grace=5)
    assert await process.wait() == Exit(code=3)
    assert process.tail.read() == b"ready\nbye\n"


async def test_killing_what_is_over_harms_nobody(processes, tmp_path):
    process = await shell(processes, "exit 0", tmp_path)
    await process.wait()
    await process.kill()
    await process.kill()
    assert await process.wait() == Exit(code=0)


async def test_a_thousand_lines_from_many_children_leave_no_zombie_and_no_open_file(tmp_path):
    processes = LocalProcesses()
    await (await shell(processes, "true", tmp_path)).wait()
    before = open_files()

    async def one(number: int) -> None:
        script = "seq 1000" if number % 2 else "sleep 300 & exec sleep 300"
        process = await shell(processes, script, tmp_path, stdin=b"x" if number % 3 else None)
        try:
            if number % 2:
                await process.wait()
        finally:
            await process.kill(grace=0.05)

    await asyncio.gather(*(one(number) for number in range(12)))
    with contextlib.suppress(ToolProblem):
        await processes.start(["no-such-program"], cwd=tmp_path, env=ENV, stdin=b"x")
    await processes.close()
    assert open_files() == before
    assert children() == []


async def test_fifty_megabytes_stay_within_the_tail(tmp_path):
    processes = LocalProcesses()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    script = "yes 0123456789abcde | head -c 52428800; echo; echo the end"
    process = await shell(processes, script, tmp_path)
    slow = process.output()
    await anext(slow)
    await process.wait()
    rest = [chunk async for chunk in slow]
    assert process.tail.total == 52428800 + 9
    assert process.tail.dropped == 52428800 + 9 - (16 << 20)
    assert process.tail.read().endswith(b"\nthe end\n")
    assert sum(map(len, rest)) <= 16 << 20
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 100_000, "kilobytes more than before"
    await processes.close()


def test_a_tail_keeps_exactly_the_last_bytes():
    tail = Tail(10)
    whole = b""
    for size in (3, 9, 1, 25, 0, 4, 6, 1):
        data = bytes((len(whole) + n) % 251 for n in range(size))
        tail.append(data)
        whole += data
        assert tail.read() == whole[-10:]
        assert tail.dropped == max(0, len(whole) - 10)
        for back in range(12):
            assert tail.since(len(whole) - back) == (whole[-min(back, 10) :] if back else b"")


def test_a_child_that_writes_letter_by_letter_costs_no_more_than_its_output():
    tail = Tail(1 << 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1 << 20):
        tail.append(b"x")
    assert tail.read() == b"x" * (1 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


@pytest.mark.skipif(not Path(family.PS).exists(), reason=f"there is no {family.PS}")
async def test_a_machine_without_proc_ends_the_tree_as_well(processes, tmp_path):
    process = await shell(processes, TREE, tmp_path)
    pids = await pids_from(process, 4)
    table = family.PsTable()
    born = family.birth(process.pid, table)
    members = family.family({process.pid: born}, table)
    assert set(pids) <= {entry.pid for entry in members}
    assert family.family({process.pid: "another time"}, table) == ()
    await family.end_family({process.pid: born}, grace=0.05, table=table)
    assert [entry.pid for entry in members if alive(entry.pid)] == []


FORKING = "echo; exec setsid sh -c 'while :; do sleep 3$$; done' & while :; do sleep 3$$; done"


async def test_a_tree_that_forks_while_it_is_ended_leaves_nobody(processes, tmp_path):
    for grace in (0, 0.001, 0.05) * 6:
        process = await shell(processes, FORKING, tmp_path)
        await anext(process.output())
        before = family.family({process.pid: family.birth(process.pid)})
        await process.kill(grace=grace)
        groups = {entry.pid for entry in before}
        left = [e for e in family.HERE.all() if e.group in groups and not e.dead]
        assert left == []


async def test_a_number_given_out_again_is_not_touched(processes, tmp_path):
    process = await shell(processes, "echo; exec sleep 300", tmp_path)
    await pids_from(process, 1)
    await family.end_family({process.pid: "long ago"}, grace=0.01)
    assert alive(process.pid)


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin"])
@pytest.mark.parametrize("size", [None, PtySize()], ids=["pipes", "terminal"])
async def test_a_project_cannot_bring_its_own_programs(processes, tmp_path, entry: str, size):
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "sh").write_text("#!/bin/sh\necho evil\n")
        (folder / "sh").chmod(0o755)
    env = {"PATH": f"{entry}:{ENV['PATH']}"}
    process = await processes.start(["sh", "-c", "echo good"], cwd=tmp_path, env=env, pty=size)
    assert (await text_of(process)).strip() == "good"
