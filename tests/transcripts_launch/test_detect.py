"""Finding executables, and what is said of each CLI."""

import os
import sys
from pathlib import Path

import pytest

from gemini_cli.transcripts import capabilities, detect
from gemini_cli.transcripts.errors import CliNotFoundError, UnknownToolError
from gemini_cli.transcripts.registry import register_tool, unregister_tool

OWN = f"#!{sys.executable}\nimport sys\nfrom gemini_cli.cli.main import main\nsys.exit(main())\n"
OTHER = "#!/usr/bin/env node\n"


def put(path: Path, text: str = OTHER) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}


def test_the_variable_wins_over_the_path(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path / "bin/codex")
    named = put(tmp_path / "elsewhere/my-codex")
    assert detect.detect_cli("codex", env={**env, "CODEX_CLI_PATH": named}) == named


def test_a_variable_that_names_nothing_is_passed_over(tmp_path: Path, env: dict[str, str]) -> None:
    found = put(tmp_path / "bin/codex")
    for wrong in (str(tmp_path / "absent"), str(tmp_path), ""):
        assert detect.detect_cli("codex", env={**env, "CODEX_CLI_PATH": wrong}) == found


def test_a_cli_that_a_project_brings_along_is_not_found(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "bin/copilot")
    monkeypatch.chdir(tmp_path / "bin")
    for path in (".", f"{os.pathsep}..{os.sep}bin"):
        assert detect.detect_cli("copilot", env={**env, "PATH": path}) is None


def test_a_file_that_cannot_be_run_is_not_found(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path / "bin/qwen")
    (tmp_path / "bin/qwen").chmod(0o644)
    assert detect.detect_cli("qwen", env=env) is None


def test_the_newest_of_several_node_versions_is_taken(tmp_path: Path, env: dict[str, str]) -> None:
    for version in ("v9.11.0", "v20.9.0", "v20.11.1", "v9²9"):  # ² is a digit, no number
        put(tmp_path / f"home/.nvm/versions/node/{version}/bin/gemini")
    found = detect.detect_cli("gemini", env=env)
    assert found == str(tmp_path / "home/.nvm/versions/node/v20.11.1/bin/gemini")


@pytest.mark.parametrize(
    ("tool", "platform", "expected"),
    [
        (
            "gemini",
            "darwin",
            ["/usr/local/bin", "/opt/homebrew/bin", "~/.npm-global/bin", "~/.local/bin"],
        ),
        (
            "claude",
            "linux",
            "/usr/local/bin /usr/bin /opt/homebrew/bin ~/.local/bin ~/bin ~/.claude/local "
            "~/.npm-global/bin ~/node_modules/.bin ~/.yarn/bin".split(),
        ),
        (
            "codex",
            "darwin",
            ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "~/.local/bin", "~/bin"],
        ),
        ("cursor", "linux", ["~/.local/bin"]),
        ("opencode", "linux", ["~/.opencode/bin"]),
    ],
)
def test_each_system_s_places_are_searched_in_their_order(
    env: dict[str, str], tool: str, platform: str, expected: list[str]
) -> None:
    place, appdata = detect.PLACES[tool], {**env, "APPDATA": "C:/Roaming"}
    files = list(detect.well_known(place, appdata, platform))
    wanted = [f"{folder}/{place.commands[0]}".replace("~", env["HOME"]) for folder in expected]
    assert [file for file in files if Path(file).name == place.commands[0]][: len(wanted)] == wanted
    assert not any("Roaming" in file for file in files)


def test_windows_has_places_and_endings_of_its_own(env: dict[str, str]) -> None:
    place, appdata = detect.PLACES["claude"], {**env, "APPDATA": "C:/Roaming"}
    files = list(detect.well_known(place, appdata, "win32"))
    home = env["HOME"]
    assert files[:3] == [f"{home}/.local/bin/claude{ending}" for ending in (".exe", ".cmd", "")]
    assert files[-3:] == [f"C:/Roaming/npm/claude{ending}" for ending in (".exe", ".cmd", "")]
    assert list(detect.well_known(place, env, "win32")) == files[:-3]
    assert not any(file.startswith(("/usr", "/opt")) for file in files)
    assert detect.natives_first(["a.cmd", "b.EXE", "c"]) == ["b.EXE", "a.cmd", "c"]


def test_a_home_with_glob_characters_is_searched(tmp_path: Path, env: dict[str, str]) -> None:
    home = tmp_path / "we[i]rd*"
    found = put(home / ".nvm/versions/node/v20.1.0/bin/qwen")
    assert detect.detect_cli("qwen", env={**env, "HOME": str(home)}) == found


def test_our_own_gemini_is_not_taken_for_the_original(tmp_path: Path, env: dict[str, str]) -> None:
    own = put(tmp_path / "bin/gemini", OWN)
    assert detect.detect_cli("gemini", env=env, prefer="upstream") is None
    assert detect.detect_cli("gemini", env=env) == own
    other = put(tmp_path / "home/.npm-global/bin/gemini")
    assert detect.detect_cli("gemini", env=env) == other
    assert detect.detect_cli("gemini", env=env, prefer="upstream") == other
    assert detect.detect_cli("gemini", env=env, prefer="self") == own


def test_another_program_called_agent_is_not_cursor(tmp_path: Path, env: dict[str, str]) -> None:
    put(tmp_path / "bin/agent")
    assert detect.detect_cli("cursor", env=env) is None
    real = put(tmp_path / "home/.local/share/cursor-agent/versions/2/cursor-agent")
    (tmp_path / "bin/agent").unlink()
    (tmp_path / "bin/agent").symlink_to(real)
    assert detect.detect_cli("cursor", env=env) == str(tmp_path / "bin/agent")


def test_a_script_that_calls_cursor_counts(tmp_path: Path, env: dict[str, str]) -> None:
    found = put(tmp_path / "bin/agent", "#!/bin/sh\nexec cursor-agent\n")
    assert detect.detect_cli("cursor", env=env) == found


def test_an_absent_cli_is_told_with_the_way_out(env: dict[str, str]) -> None:
    with pytest.raises(CliNotFoundError) as told:
        detect.require_cli("qwen", env=env)
    assert str(told.value) == (
        "Qwen Code not found. Set QWEN_CLI_PATH to its executable or install it with "
        "npm install -g @qwen-code/qwen-code."
    )


def test_an_unknown_tool_is_no_silent_none(env: dict[str, str]) -> None:
    with pytest.raises(UnknownToolError, match="Unknown tool: vim"):
        detect.detect_cli("vim", env=env)


def test_a_registered_tool_is_found_by_its_own_detector(env: dict[str, str]) -> None:
    register_tool("goose", detector=lambda values: values["HOME"] + "/goose")
    try:
        assert detect.detect_cli("goose", env=env) == env["HOME"] + "/goose"
        register_tool("plain")
        assert detect.detect_cli("plain", env=env) is None
        with pytest.raises(CliNotFoundError, match="give cli_path"):
            detect.require_cli("plain", env=env)
    finally:
        unregister_tool("goose")
        unregister_tool("plain")


async def test_gemini_s_menu_begins_with_its_named_models(env: dict[str, str]) -> None:
    found = await capabilities.get_capabilities("gemini", env=env)
    assert [(model.id, model.name) for model in found.models[:2]] == [
        ("gemini-2.5-pro", "Gemini 2.5 Pro"),
        ("gemini-2.5-flash", "Gemini 2.5 Flash"),
    ]
    assert (found.supports_slash_commands, found.supports_resume) == (False, True)


async def test_capabilities_say_what_is_installed(tmp_path: Path, env: dict[str, str]) -> None:
    path = put(tmp_path / "bin/claude")
    found = await capabilities.get_capabilities("claude", env=env)
    assert (found.installed, found.cli_path) == (True, path)
    assert [model.id for model in found.models][:2] == [
        "claude-opus-4-5",
        "claude-sonnet-4-5-20250929",
    ]
    assert "plan" in found.permission_modes
    cursor = await capabilities.get_capabilities("cursor", env=env)
    assert (cursor.installed, cursor.supports_models, cursor.models) == (False, False, ())
    own = (capabilities.ModelInfo("x", "X"),)
    gemini = await capabilities.get_capabilities("gemini", env=env, models=own)
    assert (gemini.models, gemini.supports_web_search, gemini.supports_thinking) == (
        own,
        True,
        True,
    )
