"""A run that cannot start says why, names what to mend, exits with its code, writes nothing."""

import json
from pathlib import Path

import pytest
from runner import Cli


def test_a_broken_settings_file_is_named_with_the_place(cli: Cli):
    path = cli.settings('{\n  "model": {"name": oops}\n}')
    result = cli.run("-p", "hi")
    assert result.code == 52 and str(path) in result.err and "2" in result.err
    assert "Traceback" not in result.err
    assert path.read_text() == '{\n  "model": {"name": oops}\n}'
    assert cli.files() == [".gemini/settings.json"]


def test_every_broken_settings_file_is_named_at_once(cli: Cli):
    user = cli.settings("[]")
    own = cli.workspace / ".gemini" / "settings.json"
    own.parent.mkdir()
    own.write_text("{")
    result = cli.run("-p", "hi")
    assert result.code == 52 and str(user) in result.err and str(own) in result.err


def test_a_wrong_value_is_a_warning_and_the_rest_counts(cli: Cli):
    cli.settings({"model": {"maxSessionTurns": "many", "name": "m"}, "general": {"vimMode": "yes"}})
    result = cli.run("-p", "hi", env={"GEMINI_API_KEY": None})
    assert result.code == 41 and "model.maxSessionTurns" in result.err


@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_missing_key_is_told_in_every_format(cli: Cli, form: str):
    result = cli.run("-o", form, "-p", "hi", env={"GEMINI_API_KEY": None})
    assert result.code == 41 and "GEMINI_API_KEY" in result.err
    assert "Traceback" not in result.err
    if form == "json":
        assert json.loads(result.out)["error"]["code"] == 41
    if form == "stream-json":
        assert result.last["type"] == "result" and result.last["status"] == "error"
    assert not [f for f in cli.files() if "chats" in f]


@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_store_of_keys_that_cannot_be_read_is_named_without_a_trace(cli: Cli, form: str):
    cli.settings({"security": {"auth": {"selectedType": "gemini-api-key"}}})
    store = cli.home / ".gemini" / "gemini-credentials.json"
    store.write_bytes(b"\xff\x00")
    result = cli.run("-p", "hi", "-o", form, env={"GEMINI_API_KEY": None})
    assert result.code == 41 and str(store) in result.err and "GEMINI_API_KEY" in result.err
    assert "Traceback" not in result.err + result.out
    assert store.read_bytes() == b"\xff\x00"
    assert cli.files() == [".gemini/gemini-credentials.json", ".gemini/settings.json"]


@pytest.mark.parametrize("key", ["selectedType", "enforcedType"])
def test_an_unknown_way_to_sign_in_is_told_without_its_key_and_file(cli: Cli, key: str):
    path = cli.settings({"security": {"auth": {key: "magic"}}})
    result = cli.run("-p", "hi")
    assert result.code == 41 and f"security.auth.{key} in {path}: 'magic'" in result.err


def test_a_forbidden_way_to_sign_in_is_told_without_the_file_that_forbids_it(cli: Cli):
    path = cli.settings({"security": {"auth": {"enforcedType": "gateway"}}})
    result = cli.run("-p", "hi")
    assert result.code == 41 and f"security.auth.enforcedType in {path} allows" in result.err


def test_a_folder_nobody_trusts_is_refused(cli: Cli):
    result = cli.stream("-p", "hi", env={"GEMINI_CLI_TRUST_WORKSPACE": None})
    assert result.code == 55 and "--skip-trust" in result.err
    assert str(cli.workspace) in result.err
    assert result.last["type"] == "result"
    assert cli.files() == []


def test_a_folder_cannot_declare_itself_trusted(cli: Cli):
    own = cli.workspace / ".gemini" / "settings.json"
    own.parent.mkdir()
    own.write_text('{"security": {"folderTrust": {"enabled": false}}}')
    assert cli.run("-p", "hi", env={"GEMINI_CLI_TRUST_WORKSPACE": None}).code == 55


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["--bogus"], "--bogus"),
        (["-p", "a", "b"], "--prompt"),
        (["--yolo", "--approval-mode", "plan"], "--approval-mode"),
        (["-o", "xml", "-p", "x"], "stream-json"),
    ],
)
def test_a_wrong_command_line_gets_the_help_and_exit_1(cli: Cli, argv: list[str], word: str):
    result = cli.run(*argv)
    assert result.code == 1 and result.out == ""
    assert word in result.err.splitlines()[0] and "usage: gemini" in result.err
    assert cli.files() == []


@pytest.mark.parametrize(
    "argv", [["mcp", "list"], ["--resume"], ["--list-sessions"], ["--acp"], ["-w", "-p", "x"]]
)
def test_what_this_version_lacks_is_told_in_one_line_with_another_way(cli: Cli, argv: list[str]):
    result = cli.run(*argv)
    (line,) = result.err.splitlines()
    assert result.code == 1 and "is not in this version; " in line and result.out == ""


@pytest.mark.parametrize(
    "argv", [["--bogus", "-o", "stream-json"], ["-o", "stream-json", "--resume"]]
)
def test_a_wrong_command_line_still_ends_a_stream_with_its_result(cli: Cli, argv: list[str]):
    result = cli.run(*argv)
    assert result.code == 1 and result.types == ["result"]
    assert result.last["error"]["message"] == result.err.splitlines()[0]


def test_a_wrong_command_line_is_one_object_for_readers_of_json(cli: Cli):
    result = cli.run("--output-format", "json", "-p", "a", "b")
    body = json.loads(result.out)
    assert body["error"]["code"] == result.code == 1 and "--prompt" in body["error"]["message"]


def test_a_prompt_for_the_screen_is_refused_even_where_words_are_piped_in(cli: Cli):
    result = cli.run("-i", "x", stdin="words")
    assert result.code == 42 and "--prompt-interactive" in result.err


def test_no_prompt_at_all_is_42(cli: Cli):
    settings = cli.settings('{"general": {"disableAutoUpdate": true}} // an old name')
    before = settings.read_text()
    result = cli.run(stdin="")
    assert result.code == 42 and "--prompt" in result.err
    assert cli.run("-i", "x").code == 42
    assert cli.files() == [".gemini/settings.json"] and settings.read_text() == before


def test_yolo_can_be_forbidden(cli: Cli):
    path = cli.settings({"security": {"disableYoloMode": True}})
    result = cli.run("--yolo", "-p", "x")
    assert result.code == 52 and f"security.disableYoloMode in {path}" in result.err


def test_the_format_of_the_settings_holds_for_refusals_too(cli: Cli):
    cli.settings({"output": {"format": "json"}})
    result = cli.run("-p", "x", env={"GEMINI_API_KEY": None})
    assert result.code == 41 and json.loads(result.out)["error"]["code"] == 41


@pytest.mark.parametrize(
    ("settings", "argv", "variable", "named"),
    [
        ({}, [], "docker", "GEMINI_SANDBOX"),
        ({}, ["--no-sandbox"], "true", "GEMINI_SANDBOX"),
        ({}, ["--sandbox"], "false", "--sandbox"),
        ({"tools": {"sandbox": True}}, [], None, "tools.sandbox"),
        ({"tools": {"sandbox": "podman"}}, [], None, "--no-sandbox"),
        ({"sandbox": {"enabled": True, "command": "runsc"}}, [], None, "tools.sandbox"),
        ({"security": {"toolSandboxing": True}}, [], "false", "security.toolSandboxing"),
    ],
)
def test_nobody_runs_outside_a_sandbox_who_asked_for_one(
    cli: Cli, settings: dict[str, object], argv: list[str], variable: str | None, named: str
):
    path = cli.settings(settings)
    result = cli.run("-p", "x", *argv, env={"GEMINI_SANDBOX": variable})
    assert result.code == 44 and named in result.err and result.out == ""
    assert cli.files() == [".gemini/settings.json"]
    assert str(path) in result.err or not settings


@pytest.mark.parametrize("flag", ["--version", "-v", "--help", "-h"])
def test_version_and_help_need_nothing(cli: Cli, flag: str):
    cli.settings("{ broken")
    result = cli.run(flag)
    assert result.code == 0 and result.out and result.err == ""


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_help_that_cannot_be_written_is_an_error_in_one_line(cli: Cli, flag: str):
    if not Path("/dev/full").exists():
        pytest.skip("no full disk to be had")
    with Path("/dev/full").open("wb") as full:
        process = cli.start(flag, stdout=full)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.decode().splitlines() == [
        "stdout cannot be written: No space left on device. Send the output elsewhere"
    ]
