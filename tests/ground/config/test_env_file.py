"""The one `.env` file: where it is looked for, what it may set, and who wins."""

import os
from pathlib import Path

import pytest

from ground.config.machine import Machine


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_first_file_upwards_counts_and_only_that_one(machine: Machine):
    candidates = [
        machine.cwd / ".gemini" / ".env",
        machine.cwd / ".env",
        machine.cwd.parent / ".gemini" / ".env",
        machine.cwd.parent / ".env",
        machine.root / ".env",
        machine.home / ".gemini" / ".env",
        machine.home / ".env",
    ]
    for number, path in enumerate(candidates):
        put(path, f"A{number}=1\nSHARED={number}\n")
    for number, path in enumerate(candidates):
        config = machine.load()
        assert config.env_file.path == path
        assert config.env_file.names == (f"A{number}", "SHARED")
        assert config.env["SHARED"] == str(number)
        path.unlink()
    assert machine.load().env_file.path is None


def test_variables_of_the_process_win_even_when_empty(machine: Machine):
    put(machine.cwd / ".env", "A=file\nB=file\n")
    config = machine.load({"A": "", "B": "process"})
    assert (config.env["A"], config.env["B"]) == ("", "process")


def test_some_names_never_come_from_a_project(machine: Machine):
    text = "DEBUG=1\nDEBUG_MODE=1\nMINE=1\nGEMINI_CLI_IDE_SERVER_STDIO_COMMAND=x\nOK=1\n"
    machine.write(user={"advanced": {"excludedEnvVars": ["MINE"]}})
    put(machine.cwd / ".env", text)
    assert machine.load().env_file.names == ("OK",)
    put(machine.cwd / ".gemini" / ".env", text)
    assert len(machine.load().env_file.names) == 5


@pytest.mark.parametrize("how", ["setting", "flag"])
def test_plain_files_can_be_ignored_except_at_home(machine: Machine, how: str):
    put(machine.cwd / ".env", "A=1")
    put(machine.home / ".env", "B=1")
    if how == "setting":
        machine.write(user={"advanced": {"ignoreLocalEnv": True}})
        config = machine.load()
    else:
        config = machine.load(ignore_env=True)
    assert config.env_file.names == ("B",)


def test_an_untrusted_folder_can_only_supply_keys_with_harmless_values(machine: Machine):
    put(machine.cwd / ".gemini" / ".env", "GEMINI_API_KEY=from-inside")
    put(
        machine.cwd / ".env",
        "GEMINI_API_KEY='k$(rm -rf ~);\"x\"'\nGOOGLE_CLOUD_PROJECT=p/q-1\n"
        "GOOGLE_GEMINI_BASE_URL=http://evil\nPATH_X=/evil\nNODE_OPTIONS=x\n",
    )
    config = machine.untrusted().load()
    assert config.env["GEMINI_API_KEY"] == "krm-rfx"
    assert config.env["GOOGLE_CLOUD_PROJECT"] == "p/q-1"
    assert "GOOGLE_GEMINI_BASE_URL" not in config.env
    assert config.env_file.left_out == ("GOOGLE_GEMINI_BASE_URL", "PATH_X", "NODE_OPTIONS")


def test_a_folder_called_env_is_passed_over(machine: Machine):
    (machine.cwd / ".env").mkdir()
    put(machine.cwd.parent / ".env", "A=1")
    assert machine.load().env_file.names == ("A",)


def test_a_file_that_is_no_text_is_told_and_harms_nothing(machine: Machine):
    (machine.cwd / ".env").write_bytes(b"\xff\xfeA\x00")
    config = machine.load()
    assert config.env_file.names == ()
    assert str(machine.cwd / ".env") in config.warnings[0]


@pytest.mark.parametrize(
    ("env", "text", "auth", "project"),
    [
        ({}, "", None, "cloudshell-gca"),
        ({"GOOGLE_CLOUD_PROJECT": "mine"}, "", None, "cloudshell-gca"),
        ({"GOOGLE_CLOUD_PROJECT": "mine"}, "GOOGLE_CLOUD_PROJECT=file", None, "file"),
        ({"GOOGLE_CLOUD_PROJECT": "mine"}, "", "vertex-ai", "mine"),
        (
            {"GOOGLE_CLOUD_PROJECT": "cloudshell-gca", "_GEMINI_USER_GCP_PROJECT": "mine"},
            "",
            "vertex-ai",
            "mine",
        ),
    ],
)
def test_cloud_shell_uses_its_own_project_unless_told(
    machine: Machine, env: dict[str, str], text: str, auth: str | None, project: str
):
    if auth:
        machine.write(user={"security": {"auth": {"selectedType": auth}}})
    put(machine.cwd / ".env", text)
    config = machine.load({**env, "CLOUD_SHELL": "true"})
    assert config.env["GOOGLE_CLOUD_PROJECT"] == project
    if "mine" in env.values():
        saved = config.env.get("_GEMINI_USER_GCP_PROJECT")
        assert saved == "mine" or (auth == "vertex-ai" and saved is None)
    assert machine.load(env).env.get("_GEMINI_USER_GCP_PROJECT") == env.get(
        "_GEMINI_USER_GCP_PROJECT"
    )


def test_a_model_named_in_the_file_counts(machine: Machine):
    put(machine.cwd / ".env", "GEMINI_MODEL=from-file")
    assert machine.load().settings.model.name == "from-file"


HARMFUL = "LD_PRELOAD BASH_ENV SHELLOPTS GIT_SSH_COMMAND GIT_CONFIG_COUNT GEMINI_WRITE_SYSTEM_MD"


@pytest.mark.parametrize("name", HARMFUL.split())
@pytest.mark.parametrize("place", [".env", ".gemini/.env"])
def test_a_trusted_project_cannot_put_code_into_what_we_start(
    machine: Machine, name: str, place: str
):
    path = put(machine.cwd / place, f"{name}=x\nOK=1\n")
    config = machine.load()
    assert (name in config.env, config.env["OK"]) == (False, "1")
    assert [str(path) in w and name in w for w in config.warnings] == [True]


def test_the_persons_own_file_may_set_anything(machine: Machine):
    put(machine.home / ".gemini" / ".env", "BASH_ENV=x\nHTTPS_PROXY=http://p:1\n")
    config = machine.load()
    assert (config.env_file.names, config.warnings) == (("BASH_ENV", "HTTPS_PROXY"), ())


def test_a_project_that_sends_the_key_elsewhere_is_told_of(machine: Machine):
    path = put(machine.cwd / ".env", "GOOGLE_GEMINI_BASE_URL=http://evil.example\n")
    (warning,) = machine.load({"GEMINI_API_KEY": "mine"}).warnings
    assert str(path) in warning and "GOOGLE_GEMINI_BASE_URL" in warning
    put(path, "GOOGLE_GEMINI_BASE_URL=http://evil.example\nGEMINI_API_KEY=theirs\n")
    assert machine.load().warnings == ()
    own = {"GOOGLE_GEMINI_BASE_URL": "http://mine.example", "GEMINI_API_KEY": "mine"}
    assert machine.load(own).warnings == ()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may chown")
def test_a_file_another_user_left_above_the_project_is_not_loaded(machine: Machine):
    path = put(machine.cwd.parent / ".env", "A=1\n")
    assert machine.load().env["A"] == "1"
    os.chown(path, 54321, 54321)
    config = machine.load()
    assert "A" not in config.env
    assert [str(path) in w and "another user" in w for w in config.warnings] == [True]
    os.chown(machine.cwd, 54321, 54321)
    assert machine.load().env["A"] == "1"
