"""Files that cannot be settings, and files made to keep us busy."""

import os

import pytest

from gemini_cli.protocol.errors import ConfigError
from ground.config.machine import Machine


def test_all_broken_files_are_told_at_once_with_their_places(machine: Machine):
    machine.write(user='{\n  "a": 1\n  "b": 2\n}', workspace="[]", system='{"a": ')
    (machine.home / ".gemini" / "trustedFolders.json").write_text('{"/x": "MAYBE"}')
    with pytest.raises(ConfigError) as caught:
        machine.load()
    text = str(caught.value)
    assert caught.value.exit_code == 52
    assert f'{machine.user}:3:3: expected "," or "}}", but found' in text
    assert f"{machine.workspace}:1:1: the file must hold one object" in text
    assert f"{machine.system / 'settings.json'}:1:7: " in text
    assert "TRUST_FOLDER" in text


@pytest.mark.parametrize("data", [b"\xff\xfe{\x00}\x00", b'{"a": "\xff"}', b"", b"\x00"])
def test_text_that_cannot_be_settings_is_a_clean_error(machine: Machine, data: bytes):
    machine.user.write_bytes(data)
    with pytest.raises(ConfigError, match=r"settings\.json"):
        machine.load()


def test_a_pipe_in_the_place_of_the_settings_does_not_hang(machine: Machine):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes on this platform")
    os.mkfifo(machine.workspace)
    with pytest.raises(ConfigError, match="not an ordinary file"):
        machine.load()


def test_a_directory_in_the_place_of_the_settings_is_told(machine: Machine):
    machine.user.mkdir()
    with pytest.raises(ConfigError, match="not an ordinary file"):
        machine.load()


def test_a_byte_order_mark_and_comments_are_no_trouble(machine: Machine):
    machine.user.write_bytes(b'\xef\xbb\xbf// mine\n{"ui": {"theme": "ANSI",},}\n')
    assert machine.load().settings.ui.theme == "ANSI"


def test_deeply_nested_settings_are_refused_with_their_place(machine: Machine):
    machine.write(user='{"a":' * 5000 + "1" + "}" * 5000)
    with pytest.raises(ConfigError, match="levels deep"):
        machine.load()


@pytest.mark.parametrize(
    "settings",
    [
        '{"a": "' + "${" * 400_000 + '"}',
        '{"a": "' + "${a:-" * 200_000 + '"}',
        '{"telemetry": {' + ",".join(f'"outfil{n}": 1' for n in range(60_000)) + "}}",
        '{"skills": {"disabled": [' + ",".join(f'"{n}"' for n in range(30_000)) + "]}}",
        '{"agents": {"enabled": [' + ",".join(f'"{n}"' for n in range(30_000)) + "]}}",
        '{"hooks": {"disabled": [' + ",".join(f'"{n}"' for n in range(30_000)) + "]}}",
    ],
    ids=["open braces", "open defaults", "unknown keys", "names", "agents", "hooks"],
)
def test_a_hostile_workspace_cannot_keep_us_busy(machine: Machine, settings: str):
    machine.write(workspace=settings)
    config = machine.untrusted().load()
    assert config.ignored_workspace is not None
    machine.vars["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    machine.load()


def test_a_file_too_large_for_settings_is_told(machine: Machine):
    machine.write(workspace="{" + " " * 3_000_000 + "}")
    with pytest.raises(ConfigError, match="larger than 2 MB"):
        machine.load()
