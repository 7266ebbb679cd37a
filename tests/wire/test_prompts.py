"""A prompt gets its answer in every form, and the answer is told as scripts expect it."""

import asyncio
import json
import os
import time
from collections.abc import Callable

import pytest
from runner import Cli

from gemini_cli.app.doors import KEY_ACCOUNT, KEY_SERVICE
from gemini_cli.ground.host.keychain import Keychain
from gemini_cli.sdk.testing import ThreadedServer, always, answer, call, text, thought, usage

Serve = Callable[..., ThreadedServer]
MODEL = ("-m", "gemini-2.5-flash")


def test_a_prompt_is_answered_in_text(cli: Cli, serve: Serve):
    server = serve(text("Hello ", "there."))
    result = cli.run(*MODEL, "-p", "hi")
    assert (result.code, result.out, result.err) == (0, "Hello there.\n", "")
    request = server.requests[0]
    assert request.prompt == "hi" and request.model == "gemini-2.5-flash"
    assert request.method == "streamGenerateContent" and request.query["alt"] == "sse"
    assert request.headers["x-goog-api-key"] == "test-key"
    assert request.system and "session_context" in json.dumps(request.contents[0])
    assert len(server.requests) == 1


def test_piped_text_is_the_prompt(cli: Cli, serve: Serve):
    server = serve(text("ok"))
    assert cli.run(*MODEL, stdin="from a pipe\n").out == "ok\n"
    assert server.requests[0].prompt == "from a pipe\n"


def test_piped_text_stands_in_front_of_the_prompt(cli: Cli, serve: Serve):
    server = serve(text("ok"))
    assert cli.run(*MODEL, "-p", "explain", stdin="data\n").code == 0
    assert server.requests[0].prompt == "data\n\n\nexplain"


def test_words_are_a_prompt(cli: Cli, serve: Serve):
    server = serve(text("ok"))
    assert cli.run(*MODEL, "what", "is", "this").out == "ok\n"
    assert server.requests[0].prompt == "what is this"


def test_json_holds_answer_and_figures(cli: Cli, serve: Serve):
    serve(answer(thought("**Plan** think"), text("Hi."), usage(100, 5, cached=40, thoughts=3)))
    result = cli.run(*MODEL, "-o", "json", "-p", "hi")
    body = json.loads(result.out)
    assert (result.code, body["response"]) == (0, "Hi.")
    model = body["stats"]["models"]["gemini-2.5-flash"]
    assert model["api"]["totalRequests"] == 1 and model["api"]["totalErrors"] == 0
    assert model["tokens"] == {
        "input": 60, "prompt": 100, "candidates": 5, "total": 108, "cached": 40, "thoughts": 3,
        "tool": 0,
    }  # fmt: skip
    assert model["roles"]["main"]["tokens"] == model["tokens"]


def test_stream_json_tells_one_round_of_tools(cli: Cli, serve: Serve):
    (cli.workspace / "a.txt").write_text("hello\nworld\n")
    server = serve(
        answer(
            thought("**Look** first"),
            text("I ", "look."),
            call("read_file", {"file_path": "a.txt"}),
        ),
        text("It says hello."),
    )
    result = cli.stream("-p", "what?")
    assert result.code == 0, result.err
    assert result.types == [
        "init", "message", "message", "message", "tool_use", "tool_result", "message", "result",
    ]  # fmt: skip
    use, done = result.lines[4], result.lines[5]
    assert use["tool_name"] == "read_file" and use["parameters"] == {"file_path": "a.txt"}
    assert use["tool_id"].startswith("read_file__") and done["tool_id"] == use["tool_id"]
    assert done["status"] == "success"
    assert "**Look**" not in result.out
    reply = server.requests[1].replies[0]
    assert reply["name"] == "read_file" and reply["response"] == {"output": "hello\nworld\n"}
    assert not reply["id"].startswith("read_file__")
    assert result.last["status"] == "success" and result.last["stats"]["tool_calls"] == 1


def test_three_calls_of_one_step_are_answered_together_and_in_order(cli: Cli, serve: Serve):
    for name in "abc":
        (cli.workspace / name).write_text(name.upper())
    server = serve(
        answer(*(call("read_file", {"file_path": name}, id=f"id-{name}") for name in "abc")),
        text("done"),
    )
    result = cli.stream("-p", "read all")
    assert result.types.count("tool_use") == result.types.count("tool_result") == 3
    replies = server.requests[1].replies
    assert [r["id"] for r in replies] == ["id-a", "id-b", "id-c"]
    assert [r["response"]["output"] for r in replies] == ["A", "B", "C"]
    assert result.last["stats"]["tool_calls"] == 3


def test_edits_and_commands_run_when_the_owner_says_so(cli: Cli, serve: Serve):
    (cli.workspace / "x.py").write_text("print('old')\n")
    server = serve(
        call("replace", {"file_path": "x.py", "instruction": "new word", "old_string": "old",
                         "new_string": "new"}),
        call("run_shell_command", {"command": "python3 x.py; exit 3"}),
        text("It prints new."),
    )  # fmt: skip
    result = cli.stream("--yolo", "-p", "change it")
    assert (cli.workspace / "x.py").read_text() == "print('new')\n"
    results = [line for line in result.lines if line["type"] == "tool_result"]
    assert "+print('new')" in results[0]["output"] and "new" in results[1]["output"]
    shell = server.requests[2].replies[0]["response"]["output"]
    assert "<untrusted_context>" in shell and "new" in shell and "Exit Code: 3" in shell
    assert result.code == 0


def test_colours_of_a_command_reach_neither_scripts_nor_stored_sessions(cli: Cli, serve: Serve):
    serve(call("run_shell_command", {"command": r"printf '\033[31mred\033[0m\n'"}), text("ok"))
    result = cli.stream("--yolo", "-p", "hi")
    assert next(line for line in result.lines if line["type"] == "tool_result")["output"] == "red"
    stored = next(cli.home.glob(".gemini/tmp/*/chats/*.jsonl")).read_text()
    assert '"resultDisplay":"red"' in stored


def test_commits_carry_the_name_of_the_person_and_nothing_else_of_their_settings(
    cli: Cli, serve: Serve
):
    (cli.home / ".gitconfig").write_text(
        "[user]\n\tname = Ann\n\temail = ann@example.com\n[alias]\n\tco = checkout\n"
    )
    work = "git init -q && git commit -q --allow-empty -m one && git log --format='%an %ae'"
    serve(
        call("run_shell_command", {"command": f"{work}; git config --get-regexp alias"}),
        text("done"),
    )
    result = cli.stream("--yolo", "-p", "commit")
    (ran,) = (line for line in result.lines if line["type"] == "tool_result")
    assert (ran["status"], ran["output"].strip()) == ("success", "Ann ann@example.com")


def test_without_a_person_nothing_is_offered_that_would_have_to_be_asked_for(
    cli: Cli, serve: Serve
):
    server = serve(call("run_shell_command", {"command": "touch owned"}), text("I may not."))
    result = cli.stream("-p", "do it")
    assert "run_shell_command" not in server.requests[0].tools
    assert "read_file" in server.requests[0].tools
    failed = next(line for line in result.lines if line["type"] == "tool_result")
    assert failed["status"] == "error" and failed["error"]["type"] == "tool_not_registered"
    assert not (cli.workspace / "owned").exists()
    assert result.code == 0


@pytest.mark.parametrize("mode", ["default", "yolo"])
def test_tools_core_allows_what_it_names_and_no_other_command(cli: Cli, serve: Serve, mode: str):
    cli.settings({"tools": {"core": ["ReadFileTool", "ShellTool(echo)"]}})
    commands = ("echo hi", "touch owned", "echo hi; touch owned", "bash -c 'echo hi'")
    calls = [call("run_shell_command", {"command": command}) for command in commands]
    server = serve(answer(*calls), text("ok"))
    result = cli.stream("--approval-mode", mode, "-p", "hi")
    assert server.requests[0].tools == ["read_file", "run_shell_command"]
    told = [line for line in result.lines if line["type"] == "tool_result"]
    assert [line["status"] for line in told] == ["success", "error", "error", "error"]
    assert "tools.core" in told[1]["error"]["message"]
    assert not (cli.workspace / "owned").exists()


def test_settings_may_name_a_tool_by_its_class(cli: Cli, serve: Serve):
    cli.settings({"tools": {"allowed": ["EditTool"]}})
    server = serve(text("ok"))
    assert cli.stream("-p", "hi").code == 0
    assert "replace" in server.requests[0].tools


def test_a_plan_lies_where_other_programs_look_for_it(cli: Cli, serve: Serve):
    plan = {"file_path": "plan.md", "instruction": "i", "old_string": "", "new_string": "Do it."}
    serve(call("replace", plan), text("ok"))
    result = cli.stream("--approval-mode", "plan", "-p", "hi")
    session_id = result.lines[0]["session_id"]
    (found,) = cli.home.glob(f".gemini/tmp/*/{session_id}/plans/plan.md")
    assert found.read_text() == "Do it."


def test_a_failing_tool_is_told_to_the_model_and_the_run_goes_on(cli: Cli, serve: Serve):
    server = serve(call("read_file", {"file_path": "missing.txt"}), text("It is not there."))
    result = cli.run(*MODEL, "-p", "read")
    assert (result.code, result.out) == (0, "It is not there.\n")
    assert "Error executing tool read_file" in result.err
    assert "missing.txt" in server.requests[1].replies[0]["response"]["error"]


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", ".env", "link"])
def test_nothing_outside_the_workspace_is_read(cli: Cli, serve: Serve, path: str):
    (cli.workspace.parent / "secret").write_text("TOP")
    (cli.workspace / ".env").write_text("TOP=1")
    (cli.workspace / "link").symlink_to("/etc/passwd")
    server = serve(call("read_file", {"file_path": path}), text("no"))
    cli.run(*MODEL, "-p", "read")
    assert "error" in server.requests[1].replies[0]["response"]
    assert (
        "TOP" not in server.requests[1].raw.decode()
        and "root:" not in server.requests[1].raw.decode()
    )


def test_the_conversation_is_on_disk_when_the_run_ends(cli: Cli, serve: Serve):
    (cli.workspace / "a.txt").write_text("A")
    serve(call("read_file", {"file_path": "a.txt"}), text("done"))
    result = cli.stream("-p", "hi")
    path = next(cli.home.glob(".gemini/tmp/*/chats/session-*.jsonl"))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records[0]["sessionId"] == result.lines[0]["session_id"]
    messages = {r["id"]: r for r in records if "type" in r}
    kinds = [m["type"] for m in messages.values()]
    assert kinds.count("gemini") == 2 and "user" in kinds
    called = next(m for m in messages.values() if m.get("toolCalls"))
    assert called["toolCalls"][0]["status"] == "success"
    assert path.stat().st_mode & 0o077 == 0


def test_max_session_turns_ends_the_run_with_53(cli: Cli, serve: Serve):
    cli.settings({"model": {"maxSessionTurns": 1}})
    (cli.workspace / "a").write_text("A")
    serve(call("read_file", {"file_path": "a"}), text("never"))
    result = cli.stream("-p", "hi")
    assert result.code == 53 and "maxSessionTurns" in result.err
    assert result.last["type"] == "result" and result.last["status"] == "error"


def test_a_reader_that_goes_away_ends_the_run_quietly(cli: Cli, serve: Serve):
    serve(text(*(f"line {number} of a long text\n" for number in range(5000))))
    process = cli.start(*MODEL, "-p", "hi", bufsize=0)
    assert process.stdout and process.stderr
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_output_that_cannot_be_written_is_an_error_and_no_signal(cli: Cli, serve: Serve, form: str):
    serve(text("hi"))
    with open("/dev/full", "wb") as full:
        process = cli.start(*MODEL, "-o", form, "-p", "hi", stdout=full)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1 and b"No space left" in err


def test_answers_can_be_recorded_and_played_back(cli: Cli, serve: Serve):
    serve(answer(text("Hel", "lo."), usage(9, 2)))
    tape = cli.workspace / "tape.responses"
    first = cli.run(*MODEL, "-o", "json", "--record-responses", str(tape), "-p", "hi")
    cli.url = "http://127.0.0.1:9"
    second = cli.run(*MODEL, "-o", "json", "--fake-responses", str(tape), "-p", "hi")
    bodies = [json.loads(r.out) for r in (first, second)]
    assert bodies[0]["response"] == bodies[1]["response"] == "Hello."
    tokens = [b["stats"]["models"]["gemini-2.5-flash"]["tokens"] for b in bodies]
    assert tokens[0] == tokens[1]


def test_a_tape_that_runs_out_names_the_method(cli: Cli):
    tape = cli.workspace / "tape.responses"
    tape.write_text("")
    result = cli.run(*MODEL, "--fake-responses", str(tape), "-p", "hi")
    assert result.code == 1 and "generateContentStream" in result.err and "tape" in result.err
    assert "Traceback" not in result.err


def test_figures_of_a_run_are_those_of_its_steps(cli: Cli, serve: Serve):
    (cli.workspace / "a").write_text("A")
    serve(
        answer(call("read_file", {"file_path": "a"}), usage(10, 1)),
        answer(text("x"), usage(20, 2, cached=5)),
    )
    started = time.monotonic()
    stats = cli.stream("-p", "hi").last["stats"]
    took = (time.monotonic() - started) * 1000
    assert (stats["input_tokens"], stats["output_tokens"], stats["cached"]) == (30, 3, 5)
    assert stats["input"] == 25 and 0 < stats["duration_ms"] <= took


def test_a_stored_key_is_used_where_no_variable_holds_one(cli: Cli, serve: Serve):
    cli.settings({"security": {"auth": {"selectedType": "gemini-api-key"}}})
    keychain = Keychain(cli.home / ".gemini" / "gemini-credentials.json", force_file=True)
    asyncio.run(keychain.set(KEY_SERVICE, KEY_ACCOUNT, "stored-key"))
    server = serve(text("ok"))
    result = cli.run(*MODEL, "-p", "hi", env={"GEMINI_API_KEY": None})
    assert result.code == 0, result.err
    assert server.requests[0].headers["x-goog-api-key"] == "stored-key"


def test_a_session_id_may_be_chosen_once(cli: Cli, serve: Serve):
    serve(text("one"), always(text("two")))
    first = cli.stream("--session-id", "my-session", "-p", "hi")
    assert first.code == 0 and first.lines[0]["session_id"] == "my-session"
    second = cli.stream("--session-id", "my-session", "-p", "hi")
    assert second.code == 42 and "my-session" in second.err
    assert second.last["type"] == "result"


def test_a_file_that_git_ignores_is_not_read(cli: Cli, serve: Serve):
    (cli.workspace / ".git").mkdir()
    (cli.workspace / ".gitignore").write_text("secret.*\n")
    (cli.workspace / "secret.txt").write_text("TOP")
    server = serve(call("read_file", {"file_path": "secret.txt"}), text("no"))
    cli.run(*MODEL, "-p", "read")
    assert "ignore" in server.requests[1].replies[0]["response"]["error"]
    assert "secret.txt" not in json.dumps(server.requests[0].contents)


def test_a_context_file_reaches_the_model_and_a_bad_one_is_told(cli: Cli, serve: Serve):
    (cli.workspace / "GEMINI.md").write_text("Always answer in haiku.")
    (cli.home / ".gemini").mkdir()
    (cli.home / ".gemini" / "GEMINI.md").write_bytes(b"\x00" * (2 << 20))
    server = serve(text("ok"))
    result = cli.run(*MODEL, "-p", "hi")
    assert "Always answer in haiku." in json.dumps(server.requests[0].contents[0])
    assert result.code == 0 and result.err.count("GEMINI.md") == 1
