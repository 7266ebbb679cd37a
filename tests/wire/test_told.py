"""What a run says beside its answer: missing things, old ways, odd places."""

import json
import os
import shutil
from collections.abc import Callable

import pytest
from runner import Cli

from gemini_cli.sdk.testing import ThreadedServer, always, text

Serve = Callable[..., ThreadedServer]
MODEL = ("-m", "gemini-2.5-flash")


@pytest.mark.parametrize(
    ("settings", "argv", "env"),
    [
        ({"tools": {"sandbox": True}}, ["--no-sandbox"], {}),
        ({"tools": {"sandbox": "docker"}}, [], {"GEMINI_SANDBOX": "false"}),
        ({"tools": {"sandbox": {"command": "docker"}}}, [], {}),
        ({"tools": {"sandbox": True}}, [], {"SANDBOX": "my-container"}),
        ({}, ["-e", "none"], {}),
    ],
)
def test_what_asks_for_nothing_missing_is_told_nothing(
    cli: Cli, serve: Serve, settings: dict[str, object], argv: list[str], env: dict[str, str]
):
    serve(text("ok"))
    cli.settings(settings)
    result = cli.run(*MODEL, "-p", "x", *argv, env=env)
    assert (result.code, result.out, result.err) == (0, "ok\n", "")


def test_what_changes_nothing_yet_is_told_and_the_run_goes_on(cli: Cli, serve: Serve):
    serve(text("ok"))
    path = cli.settings(
        {
            "mcpServers": {"s": {"command": "x"}},
            "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "guard"}]}]},
            "context": {"includeDirectories": ["n" * 5000, "gone\u001b[2J"]},
        }
    )
    result = cli.run(*MODEL, "-p", "x", "-e", "mine", "--include-directories", "/no/where")
    assert (result.code, result.out) == (0, "ok\n")
    lines = result.err.splitlines()
    assert len(lines) == 5 and all(line.startswith("[WARNING] ") for line in lines)
    assert "--extensions" in lines[0]
    assert lines[1].endswith(f": mcpServers, hooks ({path})")
    assert "/no/where is not a folder" in lines[4] and "\x1b" not in result.err


def test_a_slash_command_does_not_turn_into_plain_words_unsaid(cli: Cli, serve: Serve):
    serve(always(text("ok")))
    told = "[WARNING] /git:commit goes to the model as plain words; slash commands are not in"
    assert cli.run(*MODEL, "-p", "/git:commit now").err.startswith(told)
    for prompt in ("/etc/hosts is long", "/tmp is full", "/ is a slash", "say /help"):
        assert cli.run(*MODEL, "-p", prompt).err == ""


def test_a_file_named_with_an_at_sign_is_not_left_out_unsaid(cli: Cli, serve: Serve):
    serve(always(text("ok")))
    (cli.workspace / "notes.txt").write_text("plum")
    assert "@notes.txt goes to the model as plain words" in cli.run("explain @notes.txt now").err
    for prompt in ("ask @ada about @", "mail me@notes.txt", f"@{'n' * 5000}"):
        assert cli.run(*MODEL, prompt).err == ""


def test_old_ways_to_allow_tools_are_told_and_still_count(cli: Cli, serve: Serve):
    serve(text("ok"))
    path = cli.settings({"allowedTools": ["read_file"], "tools": {"exclude": ["replace"]}})
    result = cli.run(*MODEL, "-p", "x", "--allowed-tools", "read_file")
    assert result.code == 0
    assert [line.split()[1] for line in result.err.splitlines()] == [
        "tools.allowed",
        "tools.exclude",
        "--allowed-tools",
    ]
    assert str(path) in result.err


def test_context_files_that_link_in_a_circle_end_the_run(cli: Cli, serve: Serve):
    server = serve(text("ok"))
    (cli.home / ".gemini").mkdir()
    (cli.workspace / ".git").mkdir()
    circles = [cli.home / ".gemini" / "GEMINI.md", cli.workspace / "GEMINI.md"]
    for path in circles:
        path.symlink_to(path.name)
    (cli.workspace / "AGENTS.md").write_text("Rules that count.")
    result = cli.run(*MODEL, "-p", "x")
    assert (result.code, result.out) == (0, "ok\n")
    for path in circles:
        assert f"{path} cannot be read and is skipped" in result.err
    assert "Rules that count." in json.dumps(server.requests[0].body)


def test_a_home_named_by_a_relative_path_is_lost(cli: Cli, serve: Serve):
    serve(text("ok"), text("ok"))
    for variable in ("HOME", "GEMINI_CLI_HOME"):
        env = {"HOME": None, "GEMINI_CLI_HOME": None} | {variable: "near"}
        assert cli.run(*MODEL, "-p", "x", env=env).out == "ok\n"
        assert (cli.workspace / "near" / ".gemini" / "projects.json").is_file()
        shutil.rmtree(cli.workspace / "near")


def test_a_refusal_shows_no_trace_although_debug_is_shared_with_other_programs(cli: Cli):
    result = cli.run("-p", "x", env={"GEMINI_API_KEY": None, "DEBUG": "1"})
    assert result.code == 41 and "Traceback" not in result.err


def test_a_pipe_in_the_place_of_the_installation_id_keeps_nobody_waiting(cli: Cli, serve: Serve):
    serve(text("ok"))
    cli.settings({})
    os.mkfifo(cli.home / ".gemini" / "installation_id")
    assert cli.run(*MODEL, "-p", "x", timeout=20).out == "ok\n"
