"""Writing settings: comments and secrets survive, broken files and odd disks do no harm."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gemini_cli.ground.config import REMOVED, LayerKind, save
from gemini_cli.protocol.errors import ConfigError
from ground.config.machine import Machine

USER, WORKSPACE = LayerKind.USER, LayerKind.WORKSPACE


def test_one_key_changes_and_the_rest_stays_as_written(machine: Machine):
    text = '{\n\t// look\n\t"ui": {"theme": "A"}, // t\n\t"later": "$X"\n}\n'
    machine.write(user=text)
    save(machine.paths, USER, {"ui.theme": "B"})
    assert machine.user.read_text() == text.replace('"A"', '"B"')


def test_a_secret_behind_a_reference_never_reaches_the_disk(machine: Machine):
    machine.write(workspace={"mcpServers": {"a": {"command": "x", "env": {"K": "${SECRET}"}}}})
    config = machine.load({"SECRET": "sk-12345"})
    assert config.settings.mcp_servers["a"].env["K"] == "sk-12345"
    save(config.paths, WORKSPACE, {("mcpServers", "b.c"): {"command": "y", "args": ["--"]}})
    text = machine.workspace.read_text()
    assert "sk-12345" not in text
    assert json.loads(text)["mcpServers"] == {
        "a": {"command": "x", "env": {"K": "${SECRET}"}},
        "b.c": {"command": "y", "args": ["--"]},
    }


def test_a_missing_file_and_its_folder_are_made_private(machine: Machine):
    (machine.home / ".gemini").rmdir()
    path = save(machine.paths, USER, {"general.vimMode": True})
    assert json.loads(path.read_text()) == {"general": {"vimMode": True}}
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_removing_from_a_missing_file_makes_none(machine: Machine):
    save(machine.paths, USER, {"ui.theme": REMOVED})
    assert not machine.user.exists()


def test_a_removed_key_is_gone_in_all_its_spellings(machine: Machine):
    machine.write(user={"theme": "dark", "ui": {"theme": "A", "hideTips": True}})
    save(machine.paths, USER, {"ui.theme": REMOVED})
    assert json.loads(machine.user.read_text()) == {"ui": {"hideTips": True}}
    assert machine.load().settings.ui.theme is None


@pytest.mark.parametrize(
    ("old", "key", "before"),
    [
        (
            {"fileFiltering": {"respectGitIgnore": False}},
            "context.fileFiltering.respectGitIgnore",
            False,
        ),
        ({"general": {"disableAutoUpdate": True}}, "general.enableAutoUpdate", False),
        ({"autoApproveTools": True}, "general.defaultApprovalMode", "auto_edit"),
        ({"agents": {"disabled": ["x"]}}, "agents.overrides.x.enabled", False),
    ],
)
def test_an_old_name_does_not_bring_a_removed_key_back(
    machine: Machine, old: dict[str, object], key: str, before: object
):
    beside = {"apiKey": "$K", "extensions": [{"name": "e", "config": {"A": "$B"}}]}
    machine.write(user=old | beside)
    user = machine.load().layer(USER)
    assert user is not None and user.value(key) == before
    save(machine.paths, USER, {key: REMOVED})
    config = machine.load({"K": "key", "B": "b"})
    user = config.layer(USER)
    assert user is not None and not user.says(key)
    assert config.env["GEMINI_API_KEY"] == "key"
    assert config.extension_values == {"e": {"A": "b"}}
    assert beside.items() <= json.loads(machine.user.read_text()).items()


def test_what_only_an_organisation_may_set_is_not_saved_in_vain(machine: Machine):
    with pytest.raises(ConfigError, match=r"admin\.secureModeEnabled .*organisation"):
        save(machine.paths, USER, {"admin.secureModeEnabled": True})
    assert not machine.user.exists()


@pytest.mark.skipif(os.name == "nt", reason="no modes and no free links there")
def test_a_linked_file_stays_a_link_and_keeps_its_mode(machine: Machine):
    real = machine.root / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o640)
    machine.user.symlink_to(real)
    save(machine.paths, USER, {"general.vimMode": True})
    assert machine.user.is_symlink()
    assert json.loads(real.read_text()) == {"general": {"vimMode": True}}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [p.name for p in real.parent.iterdir()] == ["settings.json"]


@pytest.mark.skipif(os.name == "nt", reason="no free links there")
def test_a_link_to_nowhere_cannot_make_files_elsewhere(machine: Machine):
    target = machine.root / "victim"
    machine.workspace.symlink_to(target)
    with pytest.raises(ConfigError, match="does not exist"):
        save(machine.paths, WORKSPACE, {"general.vimMode": True})
    assert not target.exists()


def test_a_broken_file_is_never_overwritten(machine: Machine):
    machine.write(user='{\n  "a": 1,\n  oops\n}')
    with pytest.raises(ConfigError, match=r"settings\.json:3:3: .*Nothing was saved"):
        save(machine.paths, USER, {"general.vimMode": True})
    assert machine.user.read_text() == '{\n  "a": 1,\n  oops\n}'


def test_a_value_that_does_not_fit_is_refused_before_the_file_is_touched(machine: Machine):
    with pytest.raises(ConfigError, match=r"general\.maxAttempts.*a number"):
        save(machine.paths, USER, {"general.vimMode": True, "general.maxAttempts": "many"})
    assert not machine.user.exists()


def test_what_is_typed_is_saved_in_the_type_of_its_key(machine: Machine):
    changes = {"general.maxAttempts": "7", "general.vimMode": "true", "skills.disabled": "a"}
    save(machine.paths, USER, {**changes, "future.key": "7"})
    assert json.loads(machine.user.read_text()) == {
        "general": {"maxAttempts": 7, "vimMode": True},
        "skills": {"disabled": ["a"]},
        "future": {"key": "7"},
    }


@pytest.mark.parametrize("key", ["__proto__.x", "ui.constructor"])
def test_a_key_that_poisons_objects_elsewhere_is_not_saved(machine: Machine, key: str):
    with pytest.raises(ConfigError, match="Nothing was saved"):
        save(machine.paths, USER, {key: 1})
    assert not machine.user.exists()


@pytest.mark.parametrize("key", ["", "a..b", ".a", ()])
def test_a_key_that_names_nothing_is_refused(machine: Machine, key: str):
    with pytest.raises(ConfigError, match="not the name of a setting"):
        save(machine.paths, USER, {key: 1})


def test_layers_of_the_machine_cannot_be_written(machine: Machine):
    with pytest.raises(ConfigError, match="system layer"):
        save(machine.paths, LayerKind.SYSTEM, {"ui.theme": "A"})


def test_a_key_below_a_plain_value_of_the_first_versions_keeps_that_value(machine: Machine):
    machine.write(
        user='{\n  // mine\n  "model": "$M",\n  "telemetry": true,\n'
        '  "mcpServers": [{"name": "a", "command": "$C"}]\n}\n'
    )
    save(
        machine.paths,
        USER,
        {
            "model.maxSessionTurns": 3,
            "telemetry.traces": True,
            ("mcpServers", "b"): {"url": "x"},
        },
    )
    text = machine.user.read_text()
    assert "// mine" in text
    assert json.loads(text.replace("// mine", "")) == {
        "model": {"name": "$M", "maxSessionTurns": 3},
        "telemetry": {"enabled": True, "traces": True},
        "mcpServers": {"a": {"command": "$C"}, "b": {"url": "x"}},
    }


def test_a_list_that_holds_more_than_can_be_moved_is_not_touched(machine: Machine):
    text = '{"extensions": [{"name": "a", "config": {"K": 1}}]}'
    machine.write(user=text)
    with pytest.raises(ConfigError, match="extensions is a list"):
        save(machine.paths, USER, {"extensions.disabled": ["x"]})
    assert machine.user.read_text() == text


def test_something_else_in_the_way_is_named(machine: Machine):
    machine.write(user='{"ui": 3}')
    with pytest.raises(ConfigError, match="ui holds no object"):
        save(machine.paths, USER, {"ui.theme": "A"})


def test_names_with_half_a_character_do_not_break_writing(machine: Machine):
    save(machine.paths, USER, {"ui.theme": "a\ud800"})
    assert json.loads(machine.user.read_text())["ui"]["theme"] == "a?"


def test_a_folder_in_the_way_is_a_sentence(machine: Machine):
    machine.user.mkdir()
    with pytest.raises(ConfigError, match=r"settings\.json is not an ordinary file"):
        save(machine.paths, USER, {"ui.theme": "A"})


def test_a_file_in_the_place_of_the_folder_is_a_sentence(machine: Machine):
    (machine.cwd / ".gemini").rmdir()
    (machine.cwd / ".gemini").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be written: .*\.gemini is not a directory"):
        save(machine.paths, WORKSPACE, {"ui.theme": "A"})


SAVE = """
import sys
from pathlib import Path
from gemini_cli.ground.config import LayerKind, Paths, save
home, name = Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
for n in range(5):
    save(Paths.of({}, home, home), LayerKind.USER, {("mcpServers", f"{name}{n}"): {"command": "x"}})
"""


@pytest.mark.parametrize("left_behind", [False, True])
def test_processes_that_save_at_once_lose_nothing(tmp_path: Path, left_behind: bool):
    if left_behind:
        lock = tmp_path / ".gemini" / "settings.json.lock"
        lock.mkdir(parents=True)
        os.utime(lock, (1, 1))
    children = [
        subprocess.Popen(
            [sys.executable, "-c", SAVE, str(tmp_path), name], stdin=subprocess.PIPE, text=True
        )
        for name in "abcd"
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.close()
    assert [child.wait(60) for child in children] == [0, 0, 0, 0]
    folder = tmp_path / ".gemini"
    servers = json.loads((folder / "settings.json").read_text())["mcpServers"]
    assert set(servers) == {f"{name}{n}" for name in "abcd" for n in range(5)}
    assert [p.name for p in folder.iterdir()] == ["settings.json"]
