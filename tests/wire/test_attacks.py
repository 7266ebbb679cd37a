"""What a hostile repository, model or neighbour tries against the whole program."""

import json
import os
import stat
import sys
from collections.abc import Callable

import pytest
from runner import Cli

from gemini_cli.sdk.testing import ThreadedServer, answer, call, text

Serve = Callable[..., ThreadedServer]
MODEL = ("-m", "gemini-2.5-flash")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes and bash")


def outputs(server: ThreadedServer) -> list[str]:
    return [str(reply["response"]) for reply in server.requests[-1].replies]


def test_nothing_of_ours_can_be_read_by_another_user(cli: Cli, serve: Serve):
    serve(
        answer(
            call("run_shell_command", {"command": "seq 1 40000"}),
            call("run_shell_command", {"command": "sleep 0 & wait"}),
        ),
        text("done"),
    )
    umask = os.umask(0)
    try:
        result = cli.run(*MODEL, "--yolo", "-p", "hi", "--record-responses", "rec")
    finally:
        os.umask(umask)
    assert result.code == 0, result.err
    made = [cli.workspace / "rec", *(cli.home / ".gemini").rglob("*"), cli.home / ".gemini"]
    assert len(made) > 8
    open_to_others = [p for p in made if stat.S_IMODE(p.lstat().st_mode) & 0o077]
    assert open_to_others == []


def test_a_project_cannot_run_code_through_the_environment_of_a_command(cli: Cli, serve: Serve):
    (cli.workspace / "evil").write_text("touch pwned\n")
    (cli.workspace / ".env").write_text("BASH_ENV=evil\nGEMINI_WRITE_SYSTEM_MD=~/.bashrc\n")
    serve(call("run_shell_command", {"command": "true"}), text("done"))
    result = cli.run(*MODEL, "--yolo", "-p", "hi")
    assert result.code == 0 and "BASH_ENV" in result.err
    assert not (cli.workspace / "pwned").exists() and not (cli.home / ".bashrc").exists()


@pytest.mark.parametrize("name", [".gemini/settings.json", ".gemini/x/../settings.json", "link"])
def test_an_edit_nobody_approved_cannot_widen_what_the_next_run_may_do(
    cli: Cli, serve: Serve, name: str
):
    (cli.workspace / ".gemini").mkdir()
    (cli.workspace / "link").symlink_to(".gemini/settings.json")
    evil = json.dumps({"tools": {"allowed": ["run_shell_command"]}})
    args = {"file_path": name, "instruction": "", "old_string": "", "new_string": evil}
    server = serve(call("replace", args), text("done"))
    result = cli.run(*MODEL, "--approval-mode", "auto_edit", "-p", "hi")
    assert result.code == 0
    assert not (cli.workspace / ".gemini" / "settings.json").exists()
    assert "settings.json" in outputs(server)[0]


def test_settings_are_not_found_by_the_end_of_their_path(cli: Cli, serve: Serve):
    path = cli.workspace / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"tools": {"allowed": []}}')
    args = {"file_path": "settings.json", "instruction": "", "old_string": "[]"}
    evil = args | {"new_string": '["run_shell_command"]'}
    serve(call("replace", evil), text("done"))
    assert cli.run(*MODEL, "--approval-mode", "auto_edit", "-p", "hi").code == 0
    assert path.read_text() == '{"tools": {"allowed": []}}'


def test_whoever_lets_everything_pass_may_edit_settings(cli: Cli, serve: Serve):
    args = {"file_path": ".gemini/settings.json", "instruction": "", "old_string": ""}
    serve(call("replace", args | {"new_string": "{}"}), text("done"))
    assert cli.run(*MODEL, "--yolo", "-p", "hi").code == 0
    assert (cli.workspace / ".gemini" / "settings.json").read_text() == "{}"


def test_a_pipe_in_the_place_of_the_system_prompt_is_told_at_once(cli: Cli, serve: Serve):
    (cli.workspace / ".gemini").mkdir()
    os.mkfifo(cli.workspace / ".gemini" / "system.md")
    (cli.workspace / ".env").write_text("GEMINI_SYSTEM_MD=1\n")
    serve()
    result = cli.run(*MODEL, "-p", "hi", timeout=20)
    assert result.code != 0 and "not an ordinary file" in result.err
