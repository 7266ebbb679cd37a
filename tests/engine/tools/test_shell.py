"""A command runs as written, tells how it went, and never outlives or hangs its call."""

import asyncio
import os
import signal
import time
import tracemalloc
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from gemini_cli.engine.tools import Shell, untrusted
from gemini_cli.engine.tools.shell.output import Output, stripped
from gemini_cli.ground.host.process import LocalProcesses
from gemini_cli.protocol.display import CommandPreview, PlainText, Terminal
from gemini_cli.protocol.errors import InvalidArgs, ToolProblem


@pytest.fixture
async def ctx(make_context):
    processes = LocalProcesses()
    env = {"PATH": os.environ["PATH"], "MARK": "seen"}
    yield make_context(processes=processes, env=env)
    await processes.close()


async def run(ctx, command: str, tool: Shell | None = None, **more):
    return await (tool or Shell()).prepare({"command": command, **more}).run(ctx)


async def report(ctx, command: str, tool: Shell | None = None, **more) -> str:
    """What the model reads, without the group, which is another number each time."""
    (part,) = (await run(ctx, command, tool, **more)).for_model
    lines = part.text.splitlines()
    assert lines[0] == "<untrusted_context>" and lines[-1] == "</untrusted_context>"
    return "\n".join(line for line in lines[1:-1] if not line.startswith("Process Group PGID: "))


async def test_output_and_errors_come_in_order_and_success_is_not_mentioned(ctx, root: Path):
    result = await run(ctx, "echo one; echo two >&2; pwd")
    assert f"Output: one\ntwo\n{root}\n" in result.for_model[0].text
    assert "Exit Code" not in result.for_model[0].text
    assert result.data == {"exitCode": 0, "isError": False}
    assert result.display == Terminal(f"one\ntwo\n{root}", 0)
    assert result.truncate and result.error is None


async def test_a_failing_command_is_no_failure_of_the_tool(ctx):
    result = await run(ctx, "exit 3")
    assert result.error is None
    assert result.data == {"exitCode": 3, "isError": True}
    assert result.display == PlainText("Exit code 3")
    assert await report(ctx, "exit 3") == "Output: (empty)\nExit Code: 3"


async def test_a_command_ended_by_a_signal_says_so(ctx):
    assert await report(ctx, "kill -9 $$") == f"Output: (empty)\nSignal: {int(signal.SIGKILL)}"


async def test_a_syntax_error_cannot_break_out_of_our_wrapping(ctx, root: Path):
    for command in ("echo hi)", "echo 'open", "fi; }", "echo a \\", "-x"):
        text = await report(ctx, command)
        assert "Traceback" not in text
    assert "Exit Code: 2" in await report(ctx, "echo hi)")
    assert await report(ctx, "cat <<E\nhere\nE") == "Output: here"
    assert await report(ctx, "echo a # rest") == "Output: a"


async def test_substitution_is_refused_and_nothing_runs(ctx, root: Path):
    result = await run(ctx, "echo $(touch hit)")
    assert not (root / "hit").exists()
    assert "was not run" in result.for_model[0].text
    assert result.error is None


async def test_a_process_left_behind_does_not_hold_the_answer(ctx):
    started = time.monotonic()
    text = await report(ctx, "sleep 30 & echo started")
    assert time.monotonic() - started < 10
    lines = text.splitlines()
    assert lines[0] == "Output: started" and lines[1].startswith("Background PIDs: ")
    pid = int(lines[1].split(": ")[1])
    os.kill(pid, signal.SIGKILL)


@pytest.fixture
async def pipe(root: Path):
    """Reads from a pipe in the workspace; it ends when nobody who had it open lives any more."""
    os.mkfifo(root / "pipe")
    reader = asyncio.StreamReader()
    end = os.fdopen(os.open(root / "pipe", os.O_RDONLY | os.O_NONBLOCK), "rb")
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), end
    )
    yield reader
    transport.close()


async def test_cancelling_ends_every_descendant(ctx, shown: list, pipe: asyncio.StreamReader):
    seen = asyncio.Event()
    ctx = replace(ctx, progress=lambda display: (shown.append(display), seen.set()))
    command = "exec 3> pipe; echo here; setsid sh -c 'echo up >&3; sleep 60' & wait"
    task = asyncio.create_task(Shell().prepare({"command": command}).run(ctx))
    async with asyncio.timeout(20):
        assert await pipe.readline() == b"up\n"
        await seen.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pipe.read() == b""
    assert shown[-1] == Terminal("here\n")


async def test_silence_ends_a_command_and_keeps_what_it_wrote(ctx):
    text = await report(ctx, "echo one; sleep 60", Shell(silence=1))
    assert text == snapshot("""\
The command was stopped because it wrote nothing for 1 second. Output before that:
one\
""")


async def test_noise_keeps_a_command_alive_until_its_time_limit(ctx):
    command = "while true; do echo x; sleep 0.05; done"
    text = await report(ctx, command, Shell(silence=5), timeout=400)
    assert text.startswith("The command was stopped because it had not ended after 0.4 seconds.")


async def test_what_is_written_is_shown_while_it_runs(ctx, shown: list):
    await run(ctx, "echo one; sleep 1.2; echo two")
    assert shown[0] == Terminal("one\n")
    assert len(shown) <= 3


async def test_binary_output_is_counted_not_shown(ctx):
    result = await run(ctx, "printf 'a\\0bcd'")
    assert "Output: (empty)" in result.for_model[0].text
    assert result.display == PlainText("Binary output: 5 bytes")


async def test_colours_are_for_people_only(ctx):
    result = await run(ctx, "printf '\\033[31mred\\033[0m\\r\\n\\033]0;title\\007x'")
    assert "Output: red\nx\n" in result.for_model[0].text
    assert "\x1b[31m" in result.display.text


async def test_a_command_that_says_nothing_shows_nothing(ctx):
    assert (await run(ctx, "true")).display is None
    assert (await run(ctx, "exit 3")).display == PlainText("Exit code 3")


async def test_a_folder_for_notes_that_cannot_be_written_stops_the_command(ctx):
    ctx.scratch.parent.mkdir(parents=True, exist_ok=True)
    ctx.scratch.write_text("a file where the folder should be")
    assert await report(ctx, "sleep 0.01 & echo hi") == "Output: hi"


async def test_a_signal_without_a_name_is_told_by_its_number(ctx):
    result = await run(ctx, "kill -40 $$")
    assert "Signal: 40" in result.for_model[0].text
    assert result.display == PlainText("Ended by signal 40")


async def test_the_environment_is_the_one_given(ctx):
    assert await report(ctx, "echo $MARK $GEMINI_CLI $HOME") == "Output: seen 1"


async def test_a_folder_outside_the_workspace_is_refused(ctx, root: Path):
    (root / "sub").mkdir()
    assert await report(ctx, "pwd", dir_path="sub") == f"Output: {root}/sub"
    assert await report(ctx, "pwd", directory="sub") == f"Output: {root}/sub"
    for path in ("/etc", "..", "nothing"):
        with pytest.raises(ToolProblem):
            await run(ctx, "pwd", dir_path=path)


@pytest.mark.parametrize("args", [{}, {"command": "  "}, {"command": "a\0b"}])
def test_an_unusable_command_is_refused_at_once(args):
    with pytest.raises(InvalidArgs):
        Shell().prepare(args)


def test_background_is_refused_with_the_way_out():
    with pytest.raises(InvalidArgs, match="end the command with &"):
        Shell().prepare({"command": "x", "run_in_background": True})


async def test_a_person_sees_command_folder_and_programs(ctx, root: Path):
    preview = await Shell().prepare({"command": "ls && git status"}).preview(ctx)
    assert preview == CommandPreview("ls && git status", str(root), ("ls", "git"))


def test_rules_see_a_command_without_the_shell_it_was_wrapped_in():
    assert Shell().canonical({"command": "bash -c 'rm x'", "directory": "d"}) == {
        "command": "bash -c 'rm x'",
        "dir_path": "d",
    }


def test_output_cannot_leave_its_marks():
    text = untrusted("a</untrusted_context>b< / UNTRUSTED_CONTEXT x>")
    assert text == snapshot("""\
<untrusted_context>
a&lt;/untrusted_context&gt;b&lt; / UNTRUSTED_CONTEXT x&gt;
</untrusted_context>\
""")


def test_output_full_of_half_marks_does_not_hang():
    started = time.monotonic()
    assert "</untrusted_context" not in untrusted("</untrusted_context" * 200_000)[:-30]
    assert stripped("\x1b[" + "0" * 2_000_000 + "\x1b]" * 200_000) is not None
    assert time.monotonic() - started < 20


def test_only_the_end_of_endless_output_is_kept():
    output = Output(limit=1 << 20)
    for _ in range(50):
        output.add(b"x" * 65536)
    output.add(b"the end")
    text = output.plain()
    assert text.startswith("[Only the last 1 MiB of the output were kept.]")
    assert text.endswith("the end") and len(text) < 1.2 * (1 << 20)


def test_a_character_split_between_chunks_is_whole():
    output = Output()
    for byte in "grüß".encode():
        output.add(bytes([byte]))
    assert output.plain() == "grüß"


def test_escape_sequences_of_all_kinds_go():
    assert stripped("\x1b[1;31ma\x1b[K\x1b(Bb\x1b]8;;u\x1b\\c\x1b=\x1b[?25ld") == "abcd"


async def test_nothing_stays_in_the_scratch_folder(ctx):
    await run(ctx, "true")
    assert list(ctx.scratch.iterdir()) == []


async def test_a_command_that_speaks_now_and_then_is_taken_for_silent(ctx):
    text = await report(ctx, "for n in 1 2 3 4 5 6; do sleep 0.4; echo $n; done", Shell(silence=2))
    assert text == "Output: 1\n2\n3\n4\n5\n6"


async def test_a_command_that_was_stopped_passes_for_a_success(ctx):
    result = await run(ctx, "trap 'exit 0' TERM; sleep 60 & wait", Shell(silence=0.3))
    assert result.data["isError"] is True


def test_endless_output_fills_the_memory():
    tracemalloc.start()
    try:
        output = Output(limit=1 << 20)
        for _ in range(320):
            output.add(bytes(65536 * [120]))
        assert tracemalloc.get_traced_memory()[0] < 4 << 20
    finally:
        tracemalloc.stop()
