"""The environment as a value, and every path we use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.ground.config import Env, Paths, process_cwd


def test_later_changes_of_the_process_do_not_reach_a_snapshot(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GEMINI_TEST_VALUE", "before")
    env = Env.from_process()
    monkeypatch.setenv("GEMINI_TEST_VALUE", "after")
    assert env["GEMINI_TEST_VALUE"] == "before"


def test_getters_read_what_people_write():
    env = Env({"A": "TRUE", "B": "0", "C": "false", "D": " 12 ", "E": "x", "F": "", "N": "-3"})
    assert [env.flag(n) for n in "ABCEZ"] == [True, False, False, False, False]
    assert [env.choice(n) for n in "ABCZ"] == [True, None, False, None]
    assert [env.integer(n) for n in "DENF"] == [12, None, -3, None]
    assert (env.text("E"), env.text("F"), env.text("Z")) == ("x", None, None)
    assert Env({"P": os.pathsep.join(["/a", "", "/b"])}).path_list("P") == ("/a", "/b")


def test_a_value_never_shows_in_a_repr():
    env = Env({"GEMINI_API_KEY": "sk-secret"})
    assert "secret" not in repr(env) + str(env) + f"{env!r}"


def test_adding_values_leaves_the_original_alone():
    env = Env({"A": "1"})
    assert env.with_values({"A": "2", "B": "3"}).as_dict() == {"A": "2", "B": "3"}
    assert env.as_dict() == {"A": "1"}


@pytest.mark.skipif(sys.platform == "win32", reason="a directory in use cannot be removed there")
def test_a_deleted_working_directory_is_a_sentence_not_a_traceback(tmp_path: Path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os; os.rmdir(os.getcwd())\n"
        "from gemini_cli.ground.config import process_cwd\n"
        "from gemini_cli.protocol.errors import ConfigError\n"
        "try: process_cwd()\n"
        "except ConfigError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, timeout=30
    )
    assert "no longer exists" in run.stdout
    assert process_cwd().is_dir()


def test_gemini_cli_home_moves_all_state_but_not_the_home_of_others(tmp_path: Path):
    paths = Paths.of({"GEMINI_CLI_HOME": "state"}, tmp_path, Path("/home/u"))
    assert paths.global_dir == tmp_path / "state" / ".gemini"
    assert paths.user_settings == tmp_path / "state" / ".gemini" / "settings.json"
    empty = Paths.of({"GEMINI_CLI_HOME": ""}, tmp_path, Path("/home/u"))
    assert empty.global_dir == Path("/home/u/.gemini")


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/etc/gemini-cli"),
        ("darwin", "/Library/Application Support/GeminiCli"),
        ("win32", "C:\\ProgramData\\gemini-cli"),
    ],
)
def test_each_platform_has_its_system_directory(platform: str, folder: str, tmp_path: Path):
    paths = Paths.of({}, tmp_path, tmp_path, platform)
    assert paths.system_settings == Path(folder) / "settings.json"
    assert paths.system_defaults == Path(folder) / "system-defaults.json"
    assert paths.admin_policies == Path(folder) / "policies"


def test_the_three_movable_files_move(tmp_path: Path):
    env = {
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/x/s.json",
        "GEMINI_CLI_TRUSTED_FOLDERS_PATH": "t.json",
    }
    paths = Paths.of(env, tmp_path, tmp_path)
    assert paths.system_settings == Path("/x/s.json")
    assert paths.system_defaults == Path("/x/system-defaults.json")
    assert paths.trusted_folders == tmp_path / "t.json"
    moved = Paths.of({**env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "/y/d.json"}, tmp_path, tmp_path)
    assert moved.system_defaults == Path("/y/d.json")


def test_a_link_to_home_is_home(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    assert Paths.of({}, tmp_path / "link", home).workspace_is_home
    assert not Paths.of({}, tmp_path, home).workspace_is_home


def test_reading_the_environment_costs_no_settings_tables():
    code = (
        "import sys; from gemini_cli.ground.config import Env, Paths, state_home;"
        "print([m for m in sys.modules if m.startswith('gemini_cli.ground')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert run.stdout.strip() == str(
        [
            "gemini_cli.ground",
            "gemini_cli.ground.config",
            "gemini_cli.ground.config.env",
            "gemini_cli.ground.config.paths",
        ]
    )
