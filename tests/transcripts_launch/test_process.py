"""Ending processes: nothing of a run is left in the process table."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.transcripts.launch import kill_process
from gemini_cli.transcripts.launch.family import Member, family, proc_table, ps_table
from gemini_cli.transcripts.launch.process import start
from transcripts_launch.fakes import fake

STUBBORN = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-S", "-c", '''
    import signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"],
                     start_new_session=True)
    time.sleep(60)
    '''.replace("\\n    ", "\\n")], start_new_session=True)
    print(os.getpid(), child.pid, flush=True)
    time.sleep(60)
"""
DAEMON = """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            print(os.getpid(), flush=True)
            time.sleep(60)
        os._exit(0)
    os.wait()
    time.sleep(60)
"""


def living(pids: list[int]) -> list[int]:
    return [pid for pid in pids if pid in proc_table()]


async def first_line(cli: str) -> tuple[object, list[int]]:
    child = await start([cli], env={"PATH": os.environ["PATH"]})
    async for chunk in child.chunks():
        return child, [int(word) for word in chunk.split()]
    raise AssertionError("the fake printed nothing")


async def test_a_tree_that_ignores_term_is_gone_after_kill(tmp_path: Path) -> None:
    child, pids = await first_line(fake(tmp_path, STUBBORN))
    family_before = set(family(child.proc.pid)) | set(pids)  # type: ignore[attr-defined]
    assert len(family_before) >= 2
    result = await child.stop(300)  # type: ignore[attr-defined]
    assert (result.killed, result.signal) == (True, "SIGKILL")
    assert living(list(family_before)) == []


async def test_a_daemon_that_left_its_parents_is_found_by_its_mark(tmp_path: Path) -> None:
    child, pids = await first_line(fake(tmp_path, DAEMON))
    result = await child.stop(2000)  # type: ignore[attr-defined]
    assert result.killed
    assert living(pids) == []


async def test_a_polite_child_ends_at_term_without_waiting(tmp_path: Path) -> None:
    child = await start(["/bin/sleep", "60"], env={})
    before = asyncio.get_running_loop().time()
    result = await child.stop(60_000)
    assert (result.killed, result.signal) == (True, "SIGTERM")
    assert asyncio.get_running_loop().time() - before < 30
    again = await kill_process(child.proc)
    assert (again.killed, again.signal) == (False, None)


async def test_a_process_in_a_foreign_group_does_not_take_the_group_along() -> None:
    bystander = await asyncio.create_subprocess_exec("/bin/sleep", "60")
    victim = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", "sleep 60 & echo $!; wait", stdout=asyncio.subprocess.PIPE
    )
    assert victim.stdout is not None
    child = int(await victim.stdout.readline())
    try:
        assert (await kill_process(victim)).killed
        assert bystander.returncode is None
        assert living([child]) == []
    finally:
        bystander.kill()
        await bystander.wait()


async def test_output_ends_although_a_leftover_holds_the_pipe(tmp_path: Path) -> None:
    body = """
        print("hello", flush=True)
        subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    """
    child = await start([fake(tmp_path, body)], env={"PATH": os.environ["PATH"]})
    chunks = [chunk async for chunk in child.chunks()]
    assert b"".join(chunks) == b"hello\n"
    assert await child.finish() == 0
    await child.stop(500)
    assert family(child.proc.pid) == {}


async def test_a_child_that_does_not_read_its_stdin_is_no_error(tmp_path: Path) -> None:
    child = await start([fake(tmp_path, "sys.exit(3)")], env={}, stdin=b"x" * 5_000_000)
    assert [chunk async for chunk in child.chunks()] == []
    assert await child.finish() == 3


def test_ps_and_proc_tell_the_same() -> None:
    me = ps_table().get(os.getpid())
    if me is None:
        pytest.skip("ps is not installed here")
    known = proc_table()[os.getpid()]
    assert (me.parent, me.group) == (known.parent, known.group)


def test_a_stranger_with_a_reused_number_is_no_family() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        try:
            leader = proc_table()[child.pid]
            known = {leader.pid: Member(leader.pid, leader.parent, leader.group, "another time")}
            assert leader.pid not in family(leader.pid, known)
            assert leader.pid not in family(leader.pid, dead=True)
            assert leader.pid in family(leader.pid)
        finally:
            child.kill()


if sys.platform != "linux":
    pytestmark = pytest.mark.skip(reason="reads the process table of Linux")
