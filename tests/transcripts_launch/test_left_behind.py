"""However a run ends, none of its processes outlives it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.transcripts.launch import execute, stream
from gemini_cli.transcripts.launch.family import proc_table
from gemini_cli.transcripts.model import TextBlock
from transcripts_launch.fakes import INIT, fake, options, says

TREE = f"""
    print({json.dumps(json.dumps(INIT))}, flush=True)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-S", "-c",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"],
        start_new_session=True)
    open(os.path.join(os.environ["HOME"], "pids"), "w").write(f"{{os.getpid()}} {{child.pid}}")
    print({json.dumps(json.dumps(says("hello")))}, flush=True)
    print({json.dumps(json.dumps({"type": "error", "message": "x"}))}, flush=True)
    time.sleep(60)
"""


def survivors(folder: Path) -> list[int]:
    pids = [int(word) for word in (folder / "pids").read_text().split()]
    assert len(pids) == 2
    return [pid for pid in pids if pid in proc_table()]


async def test_a_timeout_leaves_no_process(tmp_path: Path) -> None:
    result = await execute(options(fake(tmp_path, TREE), timeout=2000, kill_timeout=200))
    assert (result.success, result.timed_out, result.exit_code) == (False, True, -1)
    assert result.error == "Process timeout after 2000ms"
    assert result.data == "hello"
    assert survivors(tmp_path) == []


async def test_cancelling_leaves_no_process(tmp_path: Path) -> None:
    seen = asyncio.Event()
    run = asyncio.create_task(
        execute(
            options(
                fake(tmp_path, TREE),
                kill_timeout=200,
                on_event=lambda e: seen.set() if e.messages else None,
            )
        )
    )
    await seen.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert survivors(tmp_path) == []


async def test_leaving_a_stream_early_ends_the_run(tmp_path: Path) -> None:
    async with stream(options(fake(tmp_path, TREE), kill_timeout=200)) as messages:
        with pytest.raises(RuntimeError, match="not over"):
            _ = messages.result
        async for message in messages:
            assert message.content == [TextBlock("hello")]
            break
    assert survivors(tmp_path) == []
    assert messages.result.cancelled
    assert messages.result.error == "The run was cancelled"


async def test_a_second_cancellation_does_not_wait_for_the_polite_end(tmp_path: Path) -> None:
    seen = asyncio.Event()
    run = asyncio.create_task(
        execute(
            options(
                fake(tmp_path, TREE.replace("start_new_session=True", "")),
                kill_timeout=60_000,
                on_event=lambda e: seen.set() if e.messages else None,
            )
        )
    )
    await seen.wait()
    run.cancel()
    await asyncio.wait({run}, timeout=0.2)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(run), 10)
    assert survivors(tmp_path) == []


DROPPED = """
import asyncio, os, sys
from gemini_cli.transcripts.launch import ExecuteOptions, execute
loop = asyncio.new_event_loop()
heard = lambda event: event.messages and sys.argv[2] == "stop" and loop.stop()
options = ExecuteOptions(tool="gemini", prompt="P", cli_path=sys.argv[1], env=os.environ,
    on_event=heard, on_delta=lambda delta: print("heard", flush=True))
task = loop.create_task(execute(options))
try:
    loop.run_forever()
except KeyboardInterrupt:
    pass
loop.close()
"""


@pytest.mark.parametrize("how", ["stop", "interrupt"])
def test_a_loop_that_is_closed_in_the_middle_leaves_no_process(tmp_path: Path, how: str) -> None:
    argv = [sys.executable, "-c", DROPPED, fake(tmp_path, TREE), how]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as caller:
        assert caller.stdout is not None
        try:
            assert caller.stdout.readline() == b"heard\n"
            if how == "interrupt":
                caller.send_signal(signal.SIGINT)
            caller.wait(30)
        finally:
            caller.kill()
    assert survivors(tmp_path) == []


if sys.platform == "win32":
    pytestmark = pytest.mark.skip(reason="the stand-ins are scripts with a #! line")
