"""Values that do not fit: one bad key costs no other, and every one is told."""

import pytest

from gemini_cli.ground.config.tables import McpServer
from gemini_cli.protocol.errors import ConfigError
from ground.config.machine import Machine


def test_one_bad_key_costs_no_other(machine: Machine):
    machine.write(
        user={
            "general": {"maxAttempts": "7", "vimMode": "TRUE", "enableAutoUpdate": "maybe"},
            "tools": {"core": ["a", 1]},
            "ui": "dark",
            "mcpServers": {"a": {"command": "x", "timeout": "soon", "extra": 1}, "b": 3},
        }
    )
    config = machine.load()
    assert config.settings.general.max_attempts == 7
    assert config.settings.general.vim_mode
    assert config.settings.general.enable_auto_update
    assert config.settings.tools.core == ("a",)
    assert config.settings.mcp_servers == {"a": McpServer(command="x")}
    (warning,) = config.warnings
    assert str(machine.user) in warning
    assert (
        "general.enableAutoUpdate: not used (expected true or false, received a string)" in warning
    )
    assert warning.count("\n") == 6
    assert warning.endswith("and 1 more")


@pytest.mark.parametrize("number", ["1e308", '"inf"', "-" + "9" * 301])
def test_a_number_beyond_all_bounds_is_said_to_be_no_number(machine: Machine, number: str):
    machine.write(user=f'{{"general": {{"maxAttempts": {number}}}}}')
    (warning,) = machine.load().warnings
    assert "general.maxAttempts: not used (expected a number of at most 300 digits" in warning
    assert "received a number" not in warning


def test_a_bad_value_lets_the_weaker_layer_speak(machine: Machine):
    machine.write(user={"ui": {"theme": "ANSI"}}, workspace={"ui": {"theme": 3}})
    assert machine.load().settings.ui.theme == "ANSI"


def test_unknown_keys_are_kept_and_reported_only_where_the_table_is_closed(machine: Machine):
    machine.write(
        user={"$schema": "x", "future": {"a": 1}, "ui": {"new": 2}, "telemetry": {"odd": 1}}
    )
    config = machine.load()
    assert config.values["future"] == {"a": 1}
    assert config.values["ui"]["new"] == 2
    (warning,) = config.warnings
    assert "telemetry.odd" in warning
    assert "future" not in warning


def test_a_mistyped_key_of_a_server_is_told_with_the_right_one(machine: Machine):
    machine.write(user={"mcpServers": {"a": {"httpUrl ": "x", "comand": "y", "zzz": 1}}})
    (warning,) = machine.load().warnings
    assert "a.httpUrl : unknown key; did you mean httpUrl? (" in warning
    assert 'received "httpUrl "' in warning
    assert "did you mean command?" in warning
    assert "a.zzz: unknown key (" in warning


def test_a_switch_in_other_words_is_not_lost(machine: Machine):
    machine.write(system={"security": {"disableYoloMode": "yes", "folderTrust": {"enabled": 1}}})
    config = machine.load()
    assert config.settings.security.disable_yolo_mode
    assert config.settings.security.folder_trust.enabled
    assert "security.disableYoloMode: taken as true" in config.warnings[0]


def test_a_lone_name_in_a_list_of_tools_does_not_open_all_tools(machine: Machine):
    machine.write(user={"tools": {"core": "ls"}, "mcpServers": {"a": {"includeTools": "x"}}})
    config = machine.load()
    assert config.settings.tools.core == ("ls",)
    assert config.settings.mcp_servers["a"].include_tools == ("x",)
    assert "tools.core: taken as a list of one" in config.warnings[0]


def test_keys_cannot_write_to_the_terminal(machine: Machine):
    machine.write(user={"telemetry": {"\x1b[2J": 1}}, workspace='{"\x7fa" 1}')
    with pytest.raises(ConfigError) as caught:
        machine.load()
    machine.write(workspace={})
    assert str(caught.value).replace("\n", "").isprintable()
    assert machine.load().warnings[0].replace("\n", "").isprintable()


def test_an_unknown_order_of_addresses_is_told_and_not_used(machine: Machine):
    machine.write(user={"advanced": {"dnsResolutionOrder": "ipv6"}})
    config = machine.load()
    assert config.settings.advanced.dns_resolution_order == "ipv4first"
    assert "ipv4first, verbatim" in config.warnings[0]


def test_a_warning_never_repeats_a_value(machine: Machine):
    machine.write(user={"general": {"vimMode": "$SECRET"}, "security": {"auth": 1}})
    config = machine.load({"SECRET": "sk-12345"})
    assert "sk-12345" not in "".join(config.warnings) + repr(config) + repr(config.layers)


@pytest.mark.parametrize(
    ("value", "expected"), [(True, True), ("docker", "docker"), ("false", False)]
)
def test_the_sandbox_may_be_a_switch_a_command_or_details(
    machine: Machine, value: object, expected: object
):
    machine.write(user={"tools": {"sandbox": value}})
    assert machine.load().settings.tools.sandbox == expected
    machine.write(user={"tools": {"sandbox": {"enabled": True, "allowedPaths": ["/x"], "y": 1}}})
    config = machine.load()
    assert getattr(config.settings.tools.sandbox, "allowed_paths", None) == ("/x",)
    assert "tools.sandbox.y" in config.warnings[0]
