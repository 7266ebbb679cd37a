"""Loading: layers, their order, their rules, what is broken, and who said what."""

import json
from pathlib import Path

import pytest

from gemini_cli.ground.config import LayerKind, TrustSource, all_rows
from gemini_cli.ground.config.tables import McpServer
from gemini_cli.protocol.errors import ConfigError
from ground.config.machine import Machine


def test_a_later_layer_wins(machine: Machine):
    key = {"general": {"maxAttempts": 1, "vimMode": True}}
    expected = []
    for number, layer in enumerate(("defaults", "user", "workspace", "system"), 1):
        machine.write(**{layer: {"general": {"maxAttempts": number}} if number > 1 else key})
        expected.append(machine.load().settings.general.max_attempts)
    assert expected == [1, 2, 3, 4]
    assert machine.load().settings.general.vim_mode


def test_no_files_give_the_defaults_without_a_word(machine: Machine):
    config = machine.load()
    assert config.settings.general.max_attempts == 10
    assert config.warnings == ()
    assert config.origin("general.maxAttempts").kind is LayerKind.DEFAULT


def test_loading_writes_nothing_even_when_old_keys_are_found(machine: Machine):
    machine.write(user={"general": {"disableAutoUpdate": True}, "theme": "dark"})
    before = {p: p.stat().st_mtime_ns for p in machine.root.rglob("*")}
    machine.load()
    assert {p: p.stat().st_mtime_ns for p in machine.root.rglob("*")} == before


def test_the_workspace_is_read_from_the_directory_itself_only(machine: Machine):
    machine.write(workspace={"model": {"name": "x"}})
    machine.cwd = machine.cwd / "sub"
    machine.cwd.mkdir()
    assert machine.load().settings.model.name is None


def test_home_is_no_workspace_even_through_a_link(machine: Machine):
    machine.write(user={"context": {"includeDirectories": ["a"]}})
    link = machine.root / "link"
    link.symlink_to(machine.home)
    for cwd in (machine.home, link):
        machine.cwd = cwd
        assert machine.load().settings.context.include_directories == ("a",)


def test_flags_win_over_variables_and_variables_over_files(machine: Machine):
    machine.write(system={"model": {"name": "file"}})
    assert machine.load({"GEMINI_MODEL": "env"}).settings.model.name == "env"
    config = machine.load({"GEMINI_MODEL": "env"}, overrides={"model.name": "flag"})
    assert config.settings.model.name == "flag"
    assert config.origin("model.name").kind is LayerKind.FLAG


def test_the_origin_names_layer_file_and_variable(machine: Machine):
    machine.write(user={"ui": {"theme": "ANSI"}}, workspace={"theme": "dark"})
    config = machine.load({"GEMINI_TELEMETRY_ENABLED": "1"})
    assert config.origin("ui.theme").path == machine.workspace
    assert config.origin("telemetry.enabled").variable == "GEMINI_TELEMETRY_ENABLED"
    assert config.settings.telemetry.enabled


def test_a_value_is_found_by_its_key(machine: Machine):
    machine.write(user={"mcpServers": {"a": {"command": "x"}}, "ui": {"footer": {"hideCWD": True}}})
    config = machine.load()
    keys = ("ui.footer.hideCWD", "general.maxAttempts", "mcpServers.a.command", "hooks.BeforeTool")
    assert [config.value(key) for key in keys] == [True, 10, "x", None]
    assert [config.value(row.key) for row in all_rows()]
    for key in ("ui.nothing", "ui.theme.deeper"):
        with pytest.raises(KeyError):
            config.value(key)


def test_telemetry_variables_win_and_a_wrong_one_is_fatal(machine: Machine):
    machine.write(user={"telemetry": {"target": "gcp", "logPrompts": True}})
    env = {"GEMINI_TELEMETRY_LOG_PROMPTS": "yes", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}
    telemetry = machine.load(env).settings.telemetry
    assert (telemetry.target, telemetry.log_prompts) == ("gcp", False)
    assert telemetry.otlp_endpoint == "http://x"
    with pytest.raises(ConfigError, match="GEMINI_TELEMETRY_TARGET must be one of local, gcp"):
        machine.load({"GEMINI_TELEMETRY_TARGET": "moon"})


def test_references_are_filled_in_values_but_not_in_keys(machine: Machine):
    machine.write(
        user={
            "mcpServers": {
                "$A": {
                    "command": "$A/${B}x${C:-d}${D:-}",
                    "args": ["$NOPE", "${NOPE}", "$", "$$A", "a$A"],
                    "env": {"K": "${EMPTY:-x}"},
                }
            }
        }
    )
    config = machine.load({"A": "1", "B": "$A", "EMPTY": ""})
    assert config.settings.mcp_servers["$A"] == McpServer(
        command="1/$Axd", args=("$NOPE", "${NOPE}", "$", "$1", "a1"), env={"K": ""}
    )


def test_references_see_what_the_env_file_adds(machine: Machine):
    machine.write(user={"mcpServers": {"a": {"command": "$FROM_FILE", "url": "$HERE"}}})
    (machine.cwd / ".env").write_text("FROM_FILE=yes\nHERE=file\n")
    server = machine.load({"HERE": "process"}).settings.mcp_servers["a"]
    assert (server.command, server.url) == ("yes", "process")


def test_an_untrusted_workspace_has_no_say_but_can_be_looked_at(machine: Machine):
    machine.write(
        workspace={
            "security": {"folderTrust": {"enabled": False}},
            "advanced": {"excludedEnvVars": []},
            "mcpServers": {"evil": {"command": "x"}},
        }
    )
    config = machine.untrusted().load()
    assert config.settings.mcp_servers == {}
    assert config.layer(LayerKind.WORKSPACE) is None
    assert config.ignored_workspace is not None
    assert config.ignored_workspace.says("mcpServers.evil")


def test_a_workspace_cannot_switch_trust_off_for_itself(machine: Machine):
    machine.write(workspace={"security": {"folderTrust": {"enabled": False}}})
    del machine.vars["GEMINI_CLI_TRUST_WORKSPACE"]
    assert machine.load().trust.source is TrustSource.NOBODY
    machine.write(user={"security": {"folderTrust": {"enabled": False}}})
    assert machine.load().trust.source is TrustSource.SETTING


def test_skipping_trust_brings_the_workspace_in(machine: Machine):
    machine.write(workspace={"model": {"name": "w"}})
    assert machine.untrusted().load(skip_trust=True).settings.model.name == "w"


def test_providers_and_the_own_oauth_client_are_typed(machine: Machine):
    machine.write(
        user={
            "model": {"providers": {"local": {"baseUrl": "http://x", "models": ["m"]}}},
            "security": {"auth": {"oauthClient": {"id": "i", "secret": "$S"}}},
        }
    )
    settings = machine.load({"S": "s"}).settings
    assert settings.model.providers["local"].base_url == "http://x"
    assert settings.security.auth.oauth_client.secret == "s"


def test_the_corpus_of_defaults_loads_back_as_the_defaults(machine: Machine):
    corpus = Path(__file__).parents[2] / "corpora" / "settings_keys.json"
    written: dict[str, object] = {}
    for key, _, default, *_ in json.loads(corpus.read_text())["settings"]:
        if default is None or key.startswith("admin."):
            continue
        *way, last = key.split(".")
        target = written
        for name in way:
            target = target.setdefault(name, {})  # type: ignore[assignment]
        target[last] = default
    plain = machine.load().settings
    machine.write(user=written)
    config = machine.load()
    assert config.warnings == ()
    assert config.settings.general == plain.general
    assert config.settings.ui == plain.ui
    assert config.settings.context_management == plain.context_management
    assert config.settings.experimental == plain.experimental


def test_bytes_that_are_no_text_reach_no_setting(machine: Machine):
    machine.write(user={"ui": {"theme": "$NAME"}})
    settings = machine.load({"GEMINI_MODEL": "a\udcffb", "NAME": "x\udcff"}).settings
    assert (settings.model.name, settings.ui.theme) == ("a?b", "x?")
