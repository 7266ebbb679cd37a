"""A captured command answers whole, stops in time and leaves nothing running."""

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from gemini_cli.ground.host.capture import capture
from gemini_cli.protocol.errors import ToolProblem
from gemini_cli.protocol.host import Exit

ENV = {"PATH": os.environ["PATH"]}


async def sh(script: str, cwd: Path, **more):
    return await capture(["/bin/sh", "-c", script], cwd=cwd, env=ENV, **more)


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


async def test_output_and_errors_are_kept_apart(tmp_path):
    got = await sh("cat; echo no >&2; exit 2", tmp_path, stdin=b'{"a":1}')
    assert (got.exit, got.stdout, got.stderr) == (Exit(code=2), b'{"a":1}', b"no\n")


async def test_a_time_limit_ends_the_whole_tree_and_keeps_what_was_said(tmp_path):
    got = await sh("sleep 300 & echo $! $$; wait", tmp_path, timeout=1.5)
    assert got.timed_out
    assert all(gone(int(pid)) for pid in got.stdout.split())
    assert len(got.stdout.split()) == 2


async def test_cancelling_leaves_nothing_running(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    task = asyncio.create_task(sh("echo $$ > pipe; sleep 300", tmp_path))
    pid = int(await asyncio.to_thread((tmp_path / "pipe").read_text))
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert gone(pid)


async def test_a_command_that_does_not_read_a_large_input_does_not_hang(tmp_path):
    got = await sh("echo fine", tmp_path, stdin=b"x" * 2_000_000, timeout=20)
    assert (got.stdout, got.timed_out) == (b"fine\n", False)


async def test_too_much_output_is_cut_and_counted(tmp_path):
    got = await sh("yes | head -c 3000000; echo end", tmp_path, limit=1000)
    assert got.stdout.endswith(b"y\nend\n")
    assert (len(got.stdout), got.dropped) == (1000, 3000004 - 1000)


async def test_no_file_stays_open(tmp_path):
    await sh("true", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    await sh("true", tmp_path, stdin=b"x")
    left = await sh("sleep 300 & echo $!", tmp_path, stdin=b"x", timeout=20)
    assert not gone(int(left.stdout))
    os.kill(int(left.stdout), 9)
    with pytest.raises(ToolProblem):
        await capture(["no-such"], cwd=tmp_path, env=ENV, stdin=b"x")
    assert len(os.listdir("/proc/self/fd")) == before
