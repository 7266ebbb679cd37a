"""Runs of the published CLIs, and of our own, against scripted services on loopback.

Our own command always runs. The others run where they are installed: `PEER_GEMINI`, `PEER_CLAUDE`
and `PEER_CODEX` name the executables, else the PATH and the usual places are searched.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gemini_cli.transcripts.detect import detect_cli
from gemini_cli.transcripts.launch import (
    ExecuteOptions,
    ExecuteResult,
    MessageStream,
    execute,
    stream,
)
from gemini_cli.transcripts.launch.family import proc_table
from gemini_cli.transcripts.model import TextBlock, ToolResultBlock, ToolUseBlock
from transcripts_launch.scripted import claude_turns, codex_turns, gemini_turns, scripted

OWN = "own gemini"
GEMINIS = ("gemini", OWN)


def peer(tool: str) -> str:
    if tool == OWN:
        own = detect_cli("gemini", prefer="self", env={"PATH": "", "HOME": "/"})
        assert own is not None, "the command is not installed beside this interpreter"
        return own
    named = os.environ.get(f"PEER_{tool.upper()}")
    found = named or detect_cli(tool, prefer="upstream")
    if found is None:
        pytest.skip(f"{tool} is not installed; name its executable in PEER_{tool.upper()}")
    return found


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("hello\n")
    (tmp_path / "home").mkdir()
    return folder


def environment(work: Path, **extra: str) -> dict[str, str]:
    home = str(work.parent / "home")
    return {"PATH": os.environ["PATH"], "HOME": home, "CI": "true", **extra}


def gemini_environment(work: Path, url: str) -> dict[str, str]:
    folder = work.parent / "home/.gemini"
    folder.mkdir(exist_ok=True)
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (folder / "settings.json").write_text(json.dumps(settings))
    return environment(
        work,
        GEMINI_CLI_HOME=str(work.parent / "home"),
        GEMINI_API_KEY="x",
        GOOGLE_GEMINI_BASE_URL=url,
    )


def claude_environment(work: Path, url: str) -> dict[str, str]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return environment(work, ANTHROPIC_API_KEY="x", ANTHROPIC_BASE_URL=url, **quiet)


def codex_environment(work: Path, url: str) -> dict[str, str]:
    home = work.parent / "home/.codex"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        'model = "gpt-5-codex"\nmodel_provider = "local"\n[model_providers.local]\n'
        f'name = "local"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
        'env_key = "LOCAL_KEY"\n'
    )
    return environment(work, LOCAL_KEY="x")


def flat(result: ExecuteResult[Any]) -> list[Any]:
    """The blocks of all messages, without the place of results within their message."""
    found = []
    for message in result.messages:
        for block in message.blocks:
            match block:
                case TextBlock():
                    found.append((message.role, block.text))
                case ToolUseBlock():
                    found.append(("call", block.name, block.input))
                case ToolResultBlock():
                    found.append(("result", block.is_error))
    return found


def read_turns(work: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    call = {"functionCall": {"name": "read_file", "args": {"file_path": str(work / "a.txt")}}}
    return [{"text": "I will read."}, call], [{"text": "It says hello."}]


@pytest.mark.parametrize("which", GEMINIS)
async def test_gemini_streams_what_its_session_file_says(which: str, work: Path) -> None:
    cli = peer(which)
    results = []
    for hydrate in (False, True):
        with scripted(gemini_turns(*read_turns(work))) as server:
            options = ExecuteOptions(
                tool="gemini",
                prompt="what does a.txt say?",
                cli_path=cli,
                working_dir=work,
                model="gemini-2.5-pro",
                permission_mode="acceptEdits",
                hydrate=hydrate,
                timeout=60_000,
                env=gemini_environment(work, server.url),
            )
            results.append(await execute(options))
    streamed, stored = results
    assert (streamed.success, stored.success, stored.hydrated) == (True, True, True)
    assert streamed.data == "I will read.\nIt says hello."
    assert streamed.usage is not None
    assert streamed.usage.total_tokens == 214
    assert sorted(map(str, flat(streamed))) == sorted(map(str, flat(stored)))
    contents = [
        block.content
        for message in stored.messages
        for block in message.blocks
        if isinstance(block, ToolResultBlock)
    ]
    assert contents == ["hello\n"]


@pytest.mark.parametrize("which", GEMINIS)
async def test_gemini_is_gone_after_a_timeout_in_the_middle_of_a_tool(
    which: str, work: Path
) -> None:
    cli = peer(which)
    command = f"echo $$ > {work}/pid; sleep 60"
    call = {"functionCall": {"name": "run_shell_command", "args": {"command": command}}}
    pids: list[int] = []
    with scripted(gemini_turns([call], [{"text": "never"}])) as server:
        options = ExecuteOptions(
            tool="gemini",
            prompt="wait",
            cli_path=cli,
            working_dir=work,
            model="gemini-2.5-pro",
            permission_mode="bypassPermissions",
            timeout=3_000 if which == OWN else 8_000,
            kill_timeout=1_000,
            env=gemini_environment(work, server.url),
            on_start=lambda proc: pids.append(proc.pid),
        )
        result = await execute(options)
    assert (result.success, result.timed_out) == (False, True)
    running = [int((work / "pid").read_text()), *pids]
    assert [pid for pid in running if pid in proc_table()] == []


async def test_claude_streams_what_its_session_file_says(work: Path) -> None:
    cli = peer("claude")
    read = {"file_path": str(work / "a.txt")}
    results = []
    for hydrate in (False, True):
        turns = claude_turns(
            [
                {"type": "text", "text": "I will read."},
                {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": read},
            ],
            [{"type": "text", "text": "It says hello."}],
        )
        with scripted(turns) as server:
            options = ExecuteOptions(
                tool="claude",
                prompt="-what does a.txt say?",
                cli_path=cli,
                working_dir=work,
                model="claude-sonnet-4-5-20250929",
                permission_mode="acceptEdits",
                hydrate=hydrate,
                timeout=60_000,
                env=claude_environment(work, server.url),
            )
            results.append(await execute(options))
    streamed, stored = results
    assert (streamed.success, stored.success, stored.hydrated) == (True, True, True)
    assert streamed.cost_usd is not None
    # The stream does not repeat the prompt, the file begins with it.
    assert flat(stored) == [("user", "-what does a.txt say?"), *flat(streamed)]
    assert ("call", "Read", read) in flat(streamed)


async def test_codex_streams_what_its_session_file_says(work: Path) -> None:
    cli = peer("codex")
    summary = [{"type": "summary_text", "text": "Looking"}]
    command = json.dumps({"cmd": "cat a.txt"})
    call = {"type": "function_call", "id": "f", "name": "exec_command", "arguments": command}
    answer = [{"type": "output_text", "text": "It says hello."}]
    turns = codex_turns(
        [{"type": "reasoning", "id": "r", "summary": summary}, call | {"call_id": "c"}],
        [{"type": "message", "id": "m", "role": "assistant", "content": answer}],
    )
    with scripted(turns) as server:
        options = ExecuteOptions(
            tool="codex",
            prompt="what does a.txt say?",
            cli_path=cli,
            working_dir=work,
            permission_mode="bypassPermissions",
            timeout=60_000,
            env=codex_environment(work, server.url),
        )
        result = await execute(options)
    assert (result.success, result.data) == (True, "It says hello.")
    assert [step for step in flat(result) if step[0] != "system"] == [
        ("call", "Bash", {"command": "cat a.txt"}),
        ("result", False),
        ("assistant", "It says hello."),
    ]
    assert result.usage is not None
    assert result.usage.normalized() == (140, 60, 0, 10, 4)


def openai_says(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "id": f"m-{text}", "role": "assistant", "content": content}


SERVICES: dict[str, tuple[Any, Any, Any]] = {
    "gemini": (gemini_turns, gemini_environment, lambda text: {"text": text}),
    "claude": (claude_turns, claude_environment, lambda text: {"type": "text", "text": text}),
    "codex": (codex_turns, codex_environment, openai_says),
}


@pytest.mark.parametrize("tool", sorted(SERVICES))
async def test_a_resumed_run_tells_and_counts_only_itself(tool: str, work: Path) -> None:
    cli = peer(tool)
    turns, env_of, part = SERVICES[tool]
    with scripted(turns([part("first")], [part("second")])) as server:
        settings: dict[str, Any] = {
            "tool": tool,
            "cli_path": cli,
            "working_dir": work,
            "model": {"gemini": "gemini-2.5-pro"}.get(tool),
            "hydrate": True,
            "timeout": 60_000,
            "env": env_of(work, server.url),
        }
        first = await execute(ExecuteOptions(prompt="one", **settings))
        again = ExecuteOptions(prompt="two", resume=first.session_id, **settings)
        second = await execute(again)
    assert (first.data, second.data) == ("first", "second")
    assert second.session_id == first.session_id
    assert flat(second) == [("user", "two"), ("assistant", "second")]
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.total_tokens == first.usage.total_tokens


def calls_a_shell(tool: str, command: str) -> dict[str, Any]:
    match tool:
        case "claude":
            call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}}
        case "codex":
            args = json.dumps({"cmd": command})
            call = {"type": "function_call", "id": "f", "call_id": "c", "name": "exec_command"}
            call["arguments"] = args
        case _:
            call = {"functionCall": {"name": "run_shell_command", "args": {"command": command}}}
    return call


def settings_for(which: str, work: Path, url: str) -> dict[str, Any]:
    tool = "gemini" if which == OWN else which
    return {
        "tool": tool,
        "cli_path": peer(which),
        "working_dir": work,
        "model": {"gemini": "gemini-2.5-pro"}.get(tool),
        "timeout": 60_000,
        "env": SERVICES[tool][1](work, url),
    }


HUGE = "-" + "B" * 200_000 + " end"


@pytest.mark.parametrize("which", (*sorted(SERVICES), OWN))
@pytest.mark.parametrize("prompt", ["--help", HUGE, "\"a\" $HOME `id` %PATH% ünï\n\\ 'b'"])
async def test_no_prompt_becomes_a_flag_or_loses_a_character(
    which: str, prompt: str, work: Path
) -> None:
    tool = "gemini" if which == OWN else which
    peer(which)
    turns, _, part = SERVICES[tool]
    with scripted(turns([part("heard")])) as server:
        options = settings_for(which, work, server.url)
        result = await execute(ExecuteOptions(prompt=prompt, hydrate=True, **options))
    assert (result.error, result.data) == (None, "heard")
    assert flat(result) == [("user", prompt), ("assistant", "heard")]
    assert any(json.dumps(prompt)[1:-1] in json.dumps(body) for _, body in server.requests)


LEAVINGS = [(tool, "cancelled") for tool in (*sorted(SERVICES), OWN)]
LEAVINGS += [(tool, "closed") for tool in ("claude", *GEMINIS)]  # these tell something before


@pytest.mark.skipif(sys.platform != "linux", reason="daemons are found by their mark on Linux")
@pytest.mark.parametrize(("which", "leave"), LEAVINGS)
async def test_leaving_in_the_middle_of_a_tool_leaves_no_daemon(
    which: str, leave: str, work: Path
) -> None:
    tool = "gemini" if which == OWN else which
    peer(which)
    pipe = work / "pids"
    os.mkfifo(pipe)
    daemon = f"sh -c 'trap : TERM; echo $$ > {pipe}; while :; do sleep 1; done'"
    command = f"setsid -f {daemon}; (setsid {daemon} &); {daemon}"
    turns, _, part = SERVICES[tool]
    with scripted(turns([calls_a_shell(tool, command)], [part("never")])) as server:
        options = settings_for(which, work, server.url)
        options["env"]["IS_SANDBOX"] = "1"  # Claude refuses to skip permissions as root
        mode: Any = {"permission_mode": "bypassPermissions", "kill_timeout": 500}
        messages = stream(ExecuteOptions(prompt="go", **mode, **options))
        async with asyncio.timeout(50), messages:
            if leave == "closed":
                await anext(messages)
                pids = await told_by(pipe, 3)
            else:
                reading = asyncio.ensure_future(read_all(messages))
                pids = await told_by(pipe, 3)
                reading.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await reading
    assert messages.result.cancelled
    assert [pid for pid in pids if pid in proc_table()] == []


async def read_all(messages: MessageStream) -> None:
    async for _ in messages:
        pass


async def told_by(pipe: Path, count: int) -> list[int]:
    """The numbers that so many processes write into a named pipe."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    end = os.fdopen(os.open(pipe, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), end)
    try:
        return [int(await reader.readline()) for _ in range(count)]
    finally:
        transport.close()
