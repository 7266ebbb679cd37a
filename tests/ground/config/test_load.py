"""Loading: layers, their order, their rules, what is broken, and who said what."""

import json
import os
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


# ── merge rules ───────────────────────────────────────────────────────────
def test_servers_are_replaced_whole(machine: Machine):
    machine.write(
        user={"mcpServers": {"a": {"command": "u", "args": ["1"]}, "b": {"url": "x"}}},
        workspace={"mcpServers": {"a": {"command": "w"}}},
    )
    assert machine.load().settings.mcp_servers == {
        "a": McpServer(command="w"),
        "b": McpServer(url="x"),
    }


def test_included_directories_and_hooks_add_up_and_a_lone_value_counts_as_one(machine: Machine):
    hook = {"hooks": [{"type": "command", "command": "x"}]}
    machine.write(
        user={"context": {"includeDirectories": "a"}, "hooks": {"BeforeTool": [hook], "New": hook}},
        workspace={
            "context": {"includeDirectories": ["a", "b"]},
            "hooks": {"BeforeTool": [hook], "New": [hook]},
        },
    )
    settings = machine.load().settings
    assert settings.context.include_directories == ("a", "a", "b")
    assert {event: len(found) for event, found in settings.hooks.items()} == {
        "BeforeTool": 2,
        "New": 2,
    }


@pytest.mark.parametrize(
    "key",
    [
        "policyPaths",
        "adminPolicyPaths",
        "context.fileFiltering.customIgnoreFilePaths",
        "tools.exclude",
        "extensions.disabled",
        "extensions.workspacesWithMigrationNudge",
        "skills.disabled",
        "hooksConfig.disabled",
    ],
)
def test_lists_of_what_is_off_add_up_without_repeats(machine: Machine, key: str):
    def nested(value: object) -> dict[str, object]:
        for name in reversed(key.split(".")):
            value = {name: value}
        return value  # type: ignore[return-value]

    machine.write(user=nested(["a", "b"]), workspace=nested(["b", "c"]), system=nested("d"))
    found: object = machine.load().values
    for name in key.split("."):
        found = found[name]  # type: ignore[index]
    assert found == ["a", "b", "c", "d"]


def test_excluded_variables_keep_the_built_in_ones(machine: Machine):
    machine.write(user={"advanced": {"excludedEnvVars": ["X"]}})
    assert machine.load().settings.advanced.excluded_env_vars == ("DEBUG", "DEBUG_MODE", "X")


def test_other_lists_replace_and_objects_merge(machine: Machine):
    machine.write(
        user={"tools": {"core": ["a"], "shell": {"pager": "less"}}},
        workspace={"tools": {"core": ["b"], "shell": {"showColor": False}}},
    )
    tools = machine.load().settings.tools
    assert (tools.core, tools.shell.pager, tools.shell.show_color) == (("b",), "less", False)


def test_allowed_servers_are_those_every_layer_allows(machine: Machine):
    machine.write(
        user={"mcp": {"allowed": [" GitHub", "a", "b"], "excluded": ["x"]}},
        workspace={"mcp": {"allowed": ["github", "b ", "evil"], "excluded": ["y"]}},
    )
    mcp = machine.load().settings.mcp
    assert (mcp.allowed, mcp.excluded) == (("GitHub", "b"), ("x", "y"))
    machine.write(system={"mcp": {"allowed": []}})
    assert machine.load().settings.mcp.allowed == ()


def test_null_puts_a_key_back_to_its_default(machine: Machine):
    machine.write(
        user={
            "ui": {"theme": "ANSI", "footer": {"showLabels": False}},
            "general": {"vimMode": True},
        },
        workspace={"ui": {"theme": None, "footer": None}, "general": None},
    )
    config = machine.load()
    assert config.settings.ui.theme is None
    assert config.settings.ui.footer.show_labels
    assert not config.settings.general.vim_mode
    assert config.warnings == ()


def test_keys_that_poison_objects_elsewhere_are_skipped(machine: Machine):
    machine.write(
        user='{"__proto__": {"x": 1}, "ui": {"constructor": {"y": 1}, "customThemes": '
        '{"prototype": {"name": "z"}}}, "unknown": {"__proto__": 1, "kept": 2}}'
    )
    assert machine.load().values == {"ui": {"customThemes": {}}, "unknown": {"kept": 2}}


def test_the_local_router_is_configured_by_the_user_only(machine: Machine):
    router = {"experimental": {"gemmaModelRouter": {"binaryPath": "/x", "autoStartServer": True}}}
    machine.write(workspace=router, system=router)
    assert machine.load().settings.experimental.gemma_model_router.binary_path == ""
    machine.write(user=router)
    assert machine.load().settings.experimental.gemma_model_router.auto_start_server


def test_admin_settings_come_from_the_service_only(machine: Machine):
    for layer in ("defaults", "user", "workspace", "system"):
        machine.write(**{layer: {"admin": {"secureModeEnabled": True}}})
    assert not machine.load().settings.admin.secure_mode_enabled
    config = machine.load(admin={"secureModeEnabled": True, "mcp": {"enabled": False}})
    assert config.settings.admin.secure_mode_enabled
    assert not config.settings.admin.mcp.enabled
    assert config.origin("admin.mcp.enabled").kind is LayerKind.ADMIN


# ── environment, flags, origin ────────────────────────────────────────────
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


# ── validation ────────────────────────────────────────────────────────────
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


# ── references ────────────────────────────────────────────────────────────
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


# ── broken files ──────────────────────────────────────────────────────────
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


# ── trust ─────────────────────────────────────────────────────────────────
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
