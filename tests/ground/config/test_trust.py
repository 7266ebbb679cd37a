"""Trusted folders: which rule decides, and what a broken or hostile file can do."""

import json
import os
import stat
from pathlib import Path

import pytest

from gemini_cli.ground.config import (
    Env,
    TrustLevel,
    TrustSource,
    decide,
    read_rules,
    write_rule,
)
from gemini_cli.protocol.errors import ConfigError
from ground.config.machine import Machine

FOLDER, PARENT, NEVER = TrustLevel.FOLDER, TrustLevel.PARENT, TrustLevel.NEVER


@pytest.mark.parametrize(
    ("rules", "folder", "trusted", "rule"),
    [
        ({}, "a/b", False, None),
        ({"a": FOLDER}, "a", True, "a"),
        ({"a": FOLDER}, "a/b/c", True, "a"),
        ({"a": FOLDER}, "ab", False, None),
        ({"a/b": PARENT}, "a/x/y", True, "a/b"),
        ({"a/b": PARENT}, "a", True, "a/b"),
        ({"a/b": PARENT}, "c", False, None),
        ({"a": FOLDER, "a/b": NEVER}, "a/b/c", False, "a/b"),
        ({"a": NEVER, "a/b": FOLDER}, "a/b/c", True, "a/b"),
        ({"a": NEVER, "a/bbbb": PARENT}, "a/c", True, "a/bbbb"),
    ],
)
def test_the_longest_matching_rule_decides(
    tmp_path: Path, rules: dict[str, TrustLevel], folder: str, trusted: bool, rule: str | None
):
    made = {str(tmp_path / key): level for key, level in rules.items()}
    found = decide(tmp_path / folder, made, Env())
    assert found.trusted is trusted
    assert found.rule == (str(tmp_path / rule) if rule else None)
    assert found.unknown is (rule is None)


def test_the_root_covers_everything(tmp_path: Path):
    assert decide(tmp_path, {"/": FOLDER}, Env()).trusted
    assert decide(tmp_path, {"/x": PARENT}, Env()).trusted


def test_a_relative_key_trusts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert not decide(tmp_path, {".": FOLDER, "": FOLDER}, Env()).trusted


@pytest.mark.skipif(os.name == "nt", reason="no free links there")
def test_links_are_followed_on_both_sides(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    assert decide(link, {str(real): FOLDER}, Env()).trusted
    assert decide(real, {str(link): FOLDER}, Env()).trusted
    evil = tmp_path / "trusted"
    evil.mkdir()
    (evil / "out").symlink_to(real)
    assert not decide(evil / "out", {str(evil): FOLDER}, Env()).trusted


def test_the_order_is_flag_variable_setting_editor_rules(tmp_path: Path):
    rules = {str(tmp_path): NEVER}
    no, yes = (Env({"GEMINI_CLI_TRUST_WORKSPACE": word}) for word in ("false", "TRUE"))
    odd = Env({"GEMINI_CLI_TRUST_WORKSPACE": "maybe"})
    assert decide(tmp_path, rules, no, skip=True).source is TrustSource.FLAG
    assert decide(tmp_path, rules, yes, enabled=False).source is TrustSource.ENVIRONMENT
    assert not decide(tmp_path, rules, no, enabled=False).trusted
    assert decide(tmp_path, rules, odd, enabled=False, editor=False).trusted
    assert decide(tmp_path, rules, Env(), editor=True).source is TrustSource.EDITOR
    assert decide(tmp_path, rules, Env()).level is NEVER


def test_a_plain_list_of_folders_is_read_as_trusted(tmp_path: Path):
    file = tmp_path / "t.json"
    file.write_text('// mine\n["/a", "/b"]')
    assert read_rules(file) == {"/a": FOLDER, "/b": FOLDER}
    write_rule(file, Path("/c"), NEVER)
    assert read_rules(file) == {"/a": FOLDER, "/b": FOLDER, "/c": NEVER}
    assert "// mine" in file.read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"/a": "TRUST_FOLDER"', r"t\.json:1:22"),
        ('{"/a": "TRUST_ALL"}', r"/a.*TRUST_FOLDER, TRUST_PARENT, DO_NOT_TRUST"),
        ('{"/a": ["x"]}', "level"),
        ("[1]", "an object"),
        ('"x"', "an object"),
        ("", "empty"),
    ],
)
def test_a_broken_file_is_fatal_and_named(tmp_path: Path, text: str, reason: str):
    file = tmp_path / "t.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=reason) as caught:
        read_rules(file)
    assert str(file) in str(caught.value)
    assert caught.value.exit_code == 52
    with pytest.raises(ConfigError):
        write_rule(file, tmp_path, FOLDER)
    assert file.read_text() == text


def test_writing_keeps_other_rules_and_comments_and_is_private(tmp_path: Path):
    file = tmp_path / "g" / "t.json"
    file.parent.mkdir()
    file.write_text('{\n  "/x": "DO_NOT_TRUST" // never\n}\n')
    file.chmod(0o644)
    write_rule(file, tmp_path / "p", PARENT)
    assert "// never" in file.read_text()
    assert read_rules(file) == {"/x": NEVER, str(tmp_path / "p"): PARENT}
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    write_rule(file, tmp_path / "p", None)
    assert read_rules(file) == {"/x": NEVER}
    assert [p.name for p in file.parent.iterdir()] == ["t.json"]


@pytest.mark.skipif(os.name == "nt", reason="no free links there")
def test_a_second_spelling_of_a_folder_replaces_the_first(tmp_path: Path):
    real, link, file = tmp_path / "real", tmp_path / "link", tmp_path / "t.json"
    real.mkdir()
    link.symlink_to(real)
    file.write_text(json.dumps({str(link): "TRUST_FOLDER"}))
    write_rule(file, link, NEVER)
    assert read_rules(file) == {str(real): NEVER}
    assert not decide(link, read_rules(file), Env()).trusted


def test_the_file_may_be_moved(machine: Machine):
    del machine.vars["GEMINI_CLI_TRUST_WORKSPACE"]
    file = machine.root / "elsewhere.json"
    write_rule(file, machine.cwd, FOLDER)
    assert not machine.load().trust.trusted
    assert machine.load({"GEMINI_CLI_TRUSTED_FOLDERS_PATH": str(file)}).trust.trusted


def test_a_rule_for_a_name_no_folder_can_have_costs_no_other_rule(tmp_path: Path):
    path = tmp_path / "trustedFolders.json"
    path.write_text(json.dumps({"/a\0b": "TRUST_FOLDER", str(tmp_path): "TRUST_FOLDER"}))
    assert decide(tmp_path, read_rules(path), Env()).rule == str(tmp_path)
    write_rule(path, tmp_path / "other", TrustLevel.NEVER)
    assert len(read_rules(path)) == 3
