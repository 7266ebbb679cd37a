"""Whole runs against stand-ins: what goes in, what comes out, and what failure looks like."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gemini_cli.protocol.errors import InputError
from gemini_cli.transcripts.errors import CliNotFoundError, UnknownToolError
from gemini_cli.transcripts.launch import ExecuteOptions, execute, stream
from gemini_cli.transcripts.model import TextBlock
from gemini_cli.transcripts.registry import register_tool, unregister_tool
from transcripts_launch.fakes import DONE, INIT, fake, options, prints, recorded, says


async def test_a_run_is_told_in_full(tmp_path: Path) -> None:
    cli = prints(tmp_path, INIT, says("a"), says("b"), DONE, stderr="log\n")
    seen: list[Any] = []
    result = await execute(
        options(
            cli,
            on_start=lambda proc: seen.append(("start", proc.pid > 0)),
            on_event=lambda e: seen.append(("event", e.event["type"], e.message is not None)),
            on_delta=lambda d: seen.append(("delta", d.text)),
            on_stderr=lambda text: seen.append(("stderr", text)),
            on_close=lambda code: seen.append(("close", code)),
        )
    )
    assert [step for step in seen if step[0] != "stderr"] == [
        ("start", True),
        ("event", "init", False),
        ("delta", "a"),
        ("event", "message", False),
        ("delta", "b"),
        ("event", "message", False),
        ("event", "result", True),
        ("close", 0),
    ]
    assert ("stderr", "log\n") in seen
    assert (result.success, result.exit_code, result.session_id) == (True, 0, "s-1")
    assert (result.data, result.error, result.events_skipped) == ("ab", None, 0)
    assert [message.content for message in result.messages] == [[TextBlock("ab")]]
    assert result.usage is not None
    assert result.usage.total_tokens == 3


async def test_exit_0_without_a_result_is_no_success(tmp_path: Path) -> None:
    result = await execute(options(prints(tmp_path, INIT, says("half"))))
    assert (result.success, result.exit_code) == (False, 0)
    assert result.error == "gemini ended without a result"
    assert result.data == "half"


async def test_a_result_with_a_bad_exit_code_is_no_success(tmp_path: Path) -> None:
    cli = prints(tmp_path, INIT, DONE, exit_code=7, stderr="disk full")
    result = await execute(options(cli))
    assert (result.success, result.exit_code, result.error) == (False, 7, "disk full")


async def test_silence_and_a_bad_exit_code_is_a_failed_command(tmp_path: Path) -> None:
    result = await execute(options(prints(tmp_path, exit_code=1)))
    assert (result.success, result.error) == (False, "Command failed")
    assert result.session_id.startswith("gemini-")
    other = await execute(options(prints(tmp_path, exit_code=1), tool="codex"))
    assert other.session_id == "unknown"


async def test_a_used_up_quota_is_explained(tmp_path: Path) -> None:
    cli = prints(tmp_path, INIT, exit_code=1, stderr="{ reason: 'RATE_LIMIT_EXCEEDED' }")
    result = await execute(options(cli))
    assert result.error is not None
    assert "another model" in result.error


async def test_noise_split_characters_and_a_last_line_without_end_lose_nothing(
    tmp_path: Path,
) -> None:
    body = f"""
        out = sys.stdout.buffer
        out.write(b"Loaded cached credentials.\\n\\n[1, 2]\\n")
        text = {json.dumps(json.dumps(says("€uro"), ensure_ascii=False))}.encode()
        cut = text.index("€".encode()) + 1
        for piece in (text[:cut], text[cut:] + b"\\n"):
            out.write(piece); out.flush(); time.sleep(0.05)
        out.write({json.dumps(json.dumps(DONE))}.encode())
    """
    raw: list[str] = []
    result = await execute(
        options(fake(tmp_path, body), compat="sdk", on_stdout=lambda text: raw.append(str(text)))
    )
    assert (result.success, result.data) == (True, "€uro")
    assert result.events_skipped == 3
    assert "".join(raw).count("€uro") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can widen a pipe")
async def test_a_cli_that_exits_without_flushing_loses_nothing(tmp_path: Path) -> None:
    big = json.dumps(says("x" * 300_000)) + "\n" + json.dumps(DONE) + "\n"
    body = f"""
        data = json.loads({json.dumps(json.dumps(big))}).encode()
        time.sleep(0.2)
        os.set_blocking(1, False)
        os.write(1, data)
        os._exit(0)
    """
    result = await execute(options(fake(tmp_path, body)))
    assert (result.success, len(result.data)) == (True, 300_000)


async def test_a_line_of_one_mebibyte_arrives_whole(tmp_path: Path) -> None:
    result = await execute(options(prints(tmp_path, INIT, says("x" * 2**20), DONE)))
    assert result.data == "x" * 2**20


async def test_what_stdout_said_so_far_is_accumulated(tmp_path: Path) -> None:
    outputs: list[Any] = []
    cli = prints(tmp_path, INIT, says("a"), DONE)
    await execute(options(cli, on_stdout=outputs.append))
    last = outputs[-1]
    assert last.raw.count("\n") == 3
    assert [event["type"] for event in last.events] == ["init", "message", "result"]
    assert len(last.messages) == 1


async def test_callbacks_that_raise_do_not_end_the_run(tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    errors: list[Exception] = []
    names = ("on_start", "on_event", "on_delta", "on_stdout", "on_stderr", "on_close")
    cli = prints(tmp_path, INIT, says("a"), DONE, stderr="x")
    settings: dict[str, Any] = dict.fromkeys(names, broken)
    result = await execute(options(cli, on_error=errors.append, **settings))
    assert result.success
    assert len(errors) >= 6
    assert (await execute(options(cli, on_error=broken, **settings))).success


async def test_a_prompt_over_the_limit_reaches_the_child_through_stdin(tmp_path: Path) -> None:
    body = f"""
        text = sys.stdin.read()
        print(json.dumps({says("")!r} | {{"content": str(len(text)) + " " + str(len(sys.argv))}}))
        print({json.dumps(json.dumps(DONE))})
    """
    result = await execute(options(fake(tmp_path, body), prompt="x" * 300_000))
    assert result.data == "300000 4"


async def test_stdin_is_closed_for_a_short_prompt(tmp_path: Path) -> None:
    body = f"""
        print(json.dumps({says("")!r} | {{"content": repr(sys.stdin.read())}}))
        print({json.dumps(json.dumps(DONE))})
    """
    assert (await execute(options(fake(tmp_path, body)))).data == "''"


async def test_the_environment_and_folder_are_those_that_were_given(tmp_path: Path) -> None:
    body = f"""
        seen = [os.environ.get("A"), os.environ.get("B"), os.getcwd()]
        print(json.dumps({says("")!r} | {{"content": json.dumps(seen)}}))
        print({json.dumps(json.dumps(DONE))})
    """
    work = tmp_path / "work"
    work.mkdir()
    cli = fake(tmp_path, body)
    env = {"PATH": os.environ["PATH"], "A": "1"}
    result = await execute(options(cli, env=env, extra_env={"B": "2"}, working_dir=work, json=True))
    assert result.data == ["1", "2", str(work)]


async def test_a_flag_an_older_gemini_lacks_is_left_out(tmp_path: Path) -> None:
    body = f"""
        if "--skip-trust" in sys.argv:
            sys.exit("Unknown argument: skip-trust")
        print({json.dumps(json.dumps(says("ok")))})
        print({json.dumps(json.dumps(DONE))})
    """
    result = await execute(options(fake(tmp_path, body)))
    assert (result.success, result.data) == (True, "ok")
    assert result.notes == ("this gemini has no --skip-trust; left out",)


async def test_a_cli_beside_a_node_that_is_not_on_the_path_is_run_by_it(tmp_path: Path) -> None:
    folder = tmp_path / "home/.nvm/versions/node/v22.1.0/bin"
    folder.mkdir(parents=True)
    fake(folder, f"for event in {[INIT, says('ok'), DONE]!r}: print(json.dumps(event))", "script")
    (folder / "node").symlink_to(folder / "script")
    (folder / "qwen").write_text("#!/usr/bin/env node\n")
    (folder / "qwen").chmod(0o755)
    (tmp_path / "bin").mkdir()
    env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    result = await execute(ExecuteOptions(tool="qwen", prompt="P", env=env))
    assert (result.exit_code, result.events_skipped) == (0, 2)


class Recipe(msgspec.Struct):
    name: str
    minutes: int


@pytest.mark.parametrize(
    ("answer", "data", "error"),
    [
        ('Here: {"name": "soup", "minutes": 5}', Recipe("soup", 5), None),
        ('{"name": "soup"}', {"name": "soup"}, "The answer does not fit Recipe"),
        ("no recipe", "no recipe", "The answer does not fit Recipe"),
    ],
)
async def test_a_typed_answer_fits_its_type_or_says_why(
    tmp_path: Path, answer: str, data: object, error: str | None
) -> None:
    result = await execute(options(prints(tmp_path, INIT, says(answer), DONE)), Recipe)
    assert result.data == data
    assert result.success is (error is None)
    assert error is None or str(result.error).startswith(error)


@pytest.mark.parametrize("value", ["0", "false", "null", '""'])
async def test_a_falsy_json_answer_is_an_answer(tmp_path: Path, value: str) -> None:
    cli = prints(tmp_path, INIT, says(value), DONE)
    result = await execute(options(cli, json=True))
    assert (result.data, result.notes) == (json.loads(value), ())


async def test_an_answer_without_json_stays_text(tmp_path: Path) -> None:
    result = await execute(options(prints(tmp_path, INIT, says("hm"), DONE), json=True))
    assert (result.success, result.data) == (True, "hm")
    assert result.notes == ("the answer holds no JSON; data is its text",)


async def test_an_absent_cli_or_folder_is_refused_before_anything_starts(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    with pytest.raises(CliNotFoundError, match="QWEN_CLI_PATH"):
        await execute(ExecuteOptions(tool="qwen", prompt="P", env=env))
    with pytest.raises(InputError, match="is not a directory"):
        await execute(options(prints(tmp_path, DONE), working_dir=tmp_path / "absent"))
    with pytest.raises(UnknownToolError):
        stream(ExecuteOptions(tool="vim", prompt="P"))


async def test_a_file_that_is_no_program_ends_in_a_result(tmp_path: Path) -> None:
    (tmp_path / "cli").write_bytes(b"\x00\x01")
    (tmp_path / "cli").chmod(0o755)
    errors: list[Exception] = []
    result = await execute(options(str(tmp_path / "cli"), on_error=errors.append))
    assert (result.success, result.exit_code) == (False, -1)
    assert "cannot be started" in str(result.error)
    assert len(errors) == 1


async def test_claude_in_one_piece_gives_the_same_messages(tmp_path: Path) -> None:
    events = recorded("claude")
    body = f"print({json.dumps(json.dumps(events))})"
    whole = await execute(options(fake(tmp_path, body), tool="claude", streaming=False))
    lines = await execute(options(prints(tmp_path, *events), tool="claude"))
    assert whole.success
    assert [m.content for m in whole.messages] == [m.content for m in lines.messages]


async def test_hydrating_reads_the_session_file_of_this_run_only(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini/tmp/work/chats"
    chats.mkdir(parents=True)
    old = {"id": "u0", "timestamp": "2020-01-01T00:00:00Z", "type": "user", "content": "old"}
    body = f"""
        from datetime import datetime, timezone
        now = datetime.now(timezone.utc).isoformat()
        header = {{"sessionId": "s-1", "projectHash": "h", "startTime": now, "lastUpdated": now}}
        lines = [header, {old!r},
            {{"id": "u1", "timestamp": now, "type": "user", "content": "do it"}},
            {{"id": "g1", "timestamp": now, "type": "gemini", "content": "ab",
              "thoughts": [{{"subject": "", "description": "hm", "timestamp": now}}]}}]
        with open({str(chats / "session-2026-01-01T00-00-s-1.jsonl")!r}, "w") as f:
            f.write("".join(json.dumps(line) + "\\n" for line in lines))
        for event in {[INIT, says("ab"), DONE]!r}:
            print(json.dumps(event))
    """
    result = await execute(options(fake(tmp_path, body), hydrate=True))
    assert result.hydrated
    assert [message.id for message in result.messages] == ["u1", "g1"]
    assert len(result.messages[1].blocks) == 2
    plain = await execute(
        options(prints(tmp_path, INIT, says("ab"), DONE), hydrate=True, tool="qwen")
    )
    assert not plain.hydrated


async def test_a_resumed_codex_thread_counts_only_its_new_tokens(tmp_path: Path) -> None:
    home = tmp_path / ".codex/sessions/2025/11/01"
    home.mkdir(parents=True)
    name = "01999999-aaaa-7bbb-8ccc-dddddddddddd"
    at = "2025-11-01T08:00:00.000Z"
    numbers = {"input_tokens": 100, "output_tokens": 7, "cached_input_tokens": 30}
    say = [{"type": "output_text", "text": "old"}]
    rows = [
        ("session_meta", {"id": name, "timestamp": at, "cwd": "/x", "source": "exec"}),
        ("response_item", {"type": "message", "role": "assistant", "content": say}),
        ("event_msg", {"type": "token_count", "info": {"last_token_usage": numbers}}),
    ]
    (home / f"rollout-2025-11-01T08-00-00-{name}.jsonl").write_text(
        "".join(
            json.dumps({"timestamp": at, "type": kind, "payload": payload}) + "\n"
            for kind, payload in rows
        )
    )
    usage = {"input_tokens": 250, "output_tokens": 17, "cached_input_tokens": 90}
    cli = prints(
        tmp_path,
        {"type": "thread.started", "thread_id": name},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "new"}},
        {"type": "turn.completed", "usage": usage},
    )
    result = await execute(options(cli, tool="codex", resume=name))
    assert result.usage is not None
    assert result.usage.normalized()[:2] == (90, 60)
    assert result.usage.output_tokens == 10
    fresh = await execute(options(cli, tool="codex"))
    assert fresh.usage is not None
    assert fresh.usage.input_tokens == 250


async def test_a_relative_executable_is_meant_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prints(tmp_path, INIT, says("a"), DONE)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path)
    options_ = options("./cli", working_dir=tmp_path / "work")
    assert (await execute(options_)).success


async def test_a_registered_tool_runs_by_its_own_executor() -> None:
    async def run(given: ExecuteOptions) -> str:
        return given.prompt

    register_tool("goose", executor=run)
    try:
        assert await execute(ExecuteOptions(tool="goose", prompt="P")) == "P"
    finally:
        unregister_tool("goose")


if sys.platform == "win32":
    pytestmark = pytest.mark.skip(reason="the stand-ins are scripts with a #! line")
