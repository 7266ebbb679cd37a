"""A signal ends the run within a moment, with a result and the shell's exit code."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from runner import Cli

from gemini_cli.sdk.testing import ThreadedServer, answer, call, stall, text

Serve = Callable[..., ThreadedServer]
ARGS = ("-m", "gemini-2.5-flash", "-o", "stream-json", "--yolo", "-p", "hi")
A_MOMENT = 5.0
"""Seconds that even a busy machine needs not; a stalled server holds for as long as we let it."""
CODES = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


def finish(process: subprocess.Popen[bytes]) -> tuple[float, list[dict[str, object]], str]:
    started = time.monotonic()
    out, err = process.communicate(timeout=20)
    lines = [json.loads(line) for line in out.decode().splitlines()]
    return time.monotonic() - started, lines, err.decode()


@pytest.mark.parametrize(("number", "code"), CODES)
def test_a_stalled_server_does_not_hold_the_run(
    cli: Cli, serve: Serve, number: signal.Signals, code: int
):
    server = serve(stall("first_byte"))
    process = cli.start(*ARGS)
    server.until(1)
    process.send_signal(number)
    took, lines, err = finish(process)
    assert process.returncode == code and took < A_MOMENT
    assert lines[-1]["type"] == "result" and lines[-1]["status"] == "error"
    assert "Traceback" not in err


def test_an_answer_that_stalls_halfway_does_not_hold_the_run(cli: Cli, serve: Serve):
    serve(answer(text("half"), stall("mid")))
    process = cli.start(*ARGS)
    assert process.stdout
    seen = b""
    while b'"half"' not in seen:
        piece = os.read(process.stdout.fileno(), 4096)
        assert piece, process.communicate()
        seen += piece
    process.send_signal(signal.SIGINT)
    took, lines, _ = finish(process)
    assert process.returncode == 130 and took < A_MOMENT and lines[-1]["type"] == "result"


def read_when_written(fifo: Path) -> str:
    """What a child writes into the pipe, as soon as it does."""
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    assert select.select([fd], [], [], 20)[0], "the command never ran"
    words = os.read(fd, 100).decode()
    os.close(fd)
    return words


def runs(pid: int) -> bool:
    """Whether a process is alive; one that nobody has buried yet is not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def ends(pid: int) -> bool:
    """Whether a process ends; a busy machine lets one that was killed wait for its turn to go."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with open(fd, closefd=True):
        return bool(select.select([fd], [], [], 20)[0])


def test_a_command_and_its_children_die_with_the_run(cli: Cli, serve: Serve):
    os.mkfifo(fifo := cli.workspace / "pid")
    serve(call("run_shell_command", {"command": "sh -c 'echo $$ > pid; exec sleep 300' & wait"}))
    process = cli.start(*ARGS)
    pid = int(read_when_written(fifo))
    process.send_signal(signal.SIGTERM)
    _, lines, _ = finish(process)
    assert process.returncode == 143 and lines[-1]["type"] == "result"
    assert ends(pid)


LEAVES_A_PROCESS = call(
    "run_shell_command",
    {"command": "sh -c 'echo $$ > pid; exec sleep 300' > /dev/null 2>&1 &"},
)


def test_what_a_finished_command_left_running_ends_with_a_run_that_is_broken_off(
    cli: Cli, serve: Serve
):
    os.mkfifo(fifo := cli.workspace / "pid")
    server = serve(LEAVES_A_PROCESS, stall("first_byte"))
    process = cli.start(*ARGS)
    pid = int(read_when_written(fifo))
    server.until(2)
    process.send_signal(signal.SIGINT)
    finish(process)
    assert process.returncode == 130
    assert ends(pid)


def test_what_a_command_left_running_outlives_a_run_that_ends_well(cli: Cli, serve: Serve):
    os.mkfifo(fifo := cli.workspace / "pid")
    serve(LEAVES_A_PROCESS, text("It runs."))
    process = cli.start(*ARGS)
    pid = int(read_when_written(fifo))
    finish(process)
    assert process.returncode == 0 and runs(pid)
    os.kill(pid, signal.SIGKILL)


def test_a_second_signal_ends_it_at_once(cli: Cli, serve: Serve):
    os.mkfifo(fifo := cli.workspace / "ready")
    trap = "trap '' TERM; echo ready > ready; while :; do sleep 1; done"
    serve(call("run_shell_command", {"command": trap}))
    process = cli.start(*ARGS)
    read_when_written(fifo)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    finish(process)
    assert process.returncode == 130


def test_a_signal_during_the_start_still_gives_a_result(cli: Cli):
    process = cli.start(*ARGS[:-2], stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b"an unfinished prompt")
    process.stdin.flush()
    # The program now waits for the end of its input; nothing tells us when it began to.
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            continue
    assert process.returncode in (143, -signal.SIGTERM)


WHILE_IMPORTING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == os.environ["WHERE"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGTERM)
            if os.environ["SLOW_DISK"]:
                signal.pause()

sys.meta_path.insert(0, Finder())
from gemini_cli.cli.main import main
main()
"""


@pytest.mark.parametrize("where", ["gemini_cli.cli.prompt", "asyncio.runners"])
@pytest.mark.parametrize("slow_disk", ["", "yes"])
def test_a_signal_before_anything_is_ready_still_gives_a_result(
    cli: Cli, slow_disk: str, where: str
):
    process = subprocess.run(
        [sys.executable, "-c", WHILE_IMPORTING, *ARGS],
        env=cli.environment(SLOW_DISK=slow_disk, WHERE=where),
        cwd=cli.workspace,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
    )
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.returncode == 143 and b"Traceback" not in process.stderr
    assert [line["type"] for line in lines] == ["result"]
    assert "SIGTERM" in lines[0]["error"]["message"]


def test_what_was_said_before_the_kill_is_on_disk(cli: Cli, serve: Serve):
    (cli.workspace / "a").write_text("A")
    server = serve(call("read_file", {"file_path": "a"}), stall("first_byte"))
    process = cli.start(*ARGS)
    server.until(2)
    process.kill()
    process.communicate()
    path = next(cli.home.glob(".gemini/tmp/*/chats/session-*.jsonl"))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(r.get("toolCalls", [{}])[0].get("status") == "success" for r in records)
