"""Old names: every row understood in memory, and the lasting ones rewritten in the file."""

import json
from typing import Any

import pytest

from gemini_cli.ground.config import Config, migrate_files
from ground.config.machine import Machine

AGENT = "agents.overrides.codebase_investigator"
OLD = "experimental.codebaseInvestigatorSettings"

LASTING = [
    ("general.disableAutoUpdate", True, "general.enableAutoUpdate", False),
    ("general.disableAutoUpdate", "false", "general.enableAutoUpdate", True),
    ("general.disableUpdateNag", True, "general.enableAutoUpdateNotification", False),
    (
        "ui.accessibility.disableLoadingPhrases",
        False,
        "ui.accessibility.enableLoadingPhrases",
        True,
    ),
    ("ui.accessibility.disableLoadingPhrases", True, "ui.loadingPhrases", "off"),
    (
        "context.fileFiltering.disableFuzzySearch",
        True,
        "context.fileFiltering.enableFuzzySearch",
        False,
    ),
    ("tools.approvalMode", "auto_edit", "general.defaultApprovalMode", "auto_edit"),
    ("experimental.plan", False, "general.plan.enabled", False),
    (f"{OLD}.enabled", False, f"{AGENT}.enabled", False),
    (f"{OLD}.maxNumTurns", 5, f"{AGENT}.runConfig.maxTurns", 5),
    (f"{OLD}.maxTimeMinutes", 2, f"{AGENT}.runConfig.maxTimeMinutes", 2),
    (f"{OLD}.model", "m", f"{AGENT}.modelConfig.model", "m"),
    (
        f"{OLD}.thinkingBudget",
        9,
        f"{AGENT}.modelConfig.generateContentConfig.thinkingConfig.thinkingBudget",
        9,
    ),
    (
        "experimental.cliHelpAgentSettings.enabled",
        False,
        "agents.overrides.cli_help.enabled",
        False,
    ),
    ("ui.theme", "VS", "ui.theme", "Default Light"),
    ("ui.theme", "VS2015", "ui.theme", "Default"),
]

FLAT = [
    ("model", "x", "model.name", "x"),
    ("autoApproveTools", True, "general.defaultApprovalMode", "auto_edit"),
    ("theme", "light", "ui.theme", "Default Light"),
    ("theme", "dark", "ui.theme", "Default"),
    ("theme", "Dracula", "ui.theme", "Dracula"),
    ("theme", "auto", "ui.autoThemeSwitching", True),
    ("vimMode", True, "general.vimMode", True),
    ("telemetry", True, "telemetry.enabled", True),
    ("toolDiscoveryCommand", "x", "tools.discoveryCommand", "x"),
    (
        "mcpServers",
        [{"name": "a", "command": "x", "oauth": {"clientId": "c"}}],
        "mcpServers.a",
        {"command": "x", "oauth": {"clientId": "c"}},
    ),
    ("extensions", [{"name": "a", "enabled": False}, {"name": "b"}], "extensions.disabled", ["a"]),
    ("hooks.enabled", False, "hooksConfig.enabled", False),
    ("hooks.disabled", ["h"], "hooksConfig.disabled", ["h"]),
    ("agents.enabled", ["a"], "agents.overrides.a.enabled", True),
    ("agents.disabled", ["a"], "agents.overrides.a.enabled", False),
    ("accessibility", {"screenReader": True}, "ui.accessibility.screenReader", True),
    ("accessibility", {"disableLoadingPhrases": True}, "ui.loadingPhrases", "off"),
    ("allowedTools", ["x"], "tools.allowed", ["x"]),
    ("coreTools", ["x"], "tools.core", ["x"]),
    ("excludeTools", ["x"], "tools.exclude", ["x"]),
    ("toolCallCommand", "x", "tools.callCommand", "x"),
    ("sandbox", "docker", "tools.sandbox", "docker"),
    ("useRipgrep", False, "tools.useRipgrep", False),
    ("enableInteractiveShell", False, "tools.shell.enableInteractiveShell", False),
    ("shellPager", "less", "tools.shell.pager", "less"),
    ("shellShowColor", False, "tools.shell.showColor", False),
    ("shellInactivityTimeout", 5, "tools.shell.inactivityTimeout", 5),
    ("allowMCPServers", ["x"], "mcp.allowed", ["x"]),
    ("excludeMCPServers", ["x"], "mcp.excluded", ["x"]),
    ("mcpServerCommand", "x", "mcp.serverCommand", "x"),
    ("contextFileName", ["x"], "context.fileName", ["x"]),
    ("fileFiltering", {"respectGitIgnore": False}, "context.fileFiltering.respectGitIgnore", False),
    (
        "fileFiltering",
        {"disableFuzzySearch": True},
        "context.fileFiltering.enableFuzzySearch",
        False,
    ),
    ("includeDirectories", ["x"], "context.includeDirectories", ["x"]),
    ("loadMemoryFromIncludeDirectories", True, "context.loadMemoryFromIncludeDirectories", True),
    ("memoryImportFormat", "flat", "context.importFormat", "flat"),
    ("memoryDiscoveryMaxDirs", 5, "context.discoveryMaxDirs", 5),
    ("checkpointing", {"enabled": True}, "general.checkpointing.enabled", True),
    ("preferredEditor", "vim", "general.preferredEditor", "vim"),
    ("debugKeystrokeLogging", True, "general.debugKeystrokeLogging", True),
    ("retryFetchErrors", False, "general.retryFetchErrors", False),
    ("disableAutoUpdate", True, "general.enableAutoUpdate", False),
    ("disableUpdateNag", True, "general.enableAutoUpdateNotification", False),
    ("customThemes", {"T": {"name": "T"}}, "ui.customThemes.T", {"name": "T"}),
    ("customWittyPhrases", ["x"], "ui.customWittyPhrases", ["x"]),
    ("hideBanner", True, "ui.hideBanner", True),
    ("hideTips", True, "ui.hideTips", True),
    ("hideFooter", True, "ui.hideFooter", True),
    ("hideWindowTitle", True, "ui.hideWindowTitle", True),
    ("hideContextSummary", True, "ui.hideContextSummary", True),
    ("showStatusInTitle", True, "ui.showStatusInTitle", True),
    ("showMemoryUsage", True, "ui.showMemoryUsage", True),
    ("showLineNumbers", False, "ui.showLineNumbers", False),
    ("showCitations", True, "ui.showCitations", True),
    ("hideCWD", True, "ui.footer.hideCWD", True),
    ("hideSandboxStatus", True, "ui.footer.hideSandboxStatus", True),
    ("hideModelInfo", True, "ui.footer.hideModelInfo", True),
    ("ideMode", True, "ide.enabled", True),
    ("hasSeenIdeIntegrationNudge", True, "ide.hasSeenNudge", True),
    ("maxSessionTurns", 5, "model.maxSessionTurns", 5),
    ("skipNextSpeakerCheck", False, "model.skipNextSpeakerCheck", False),
    (
        "summarizeToolOutput",
        {"run_shell_command": {"tokenBudget": 5}},
        "model.summarizeToolOutput.run_shell_command.tokenBudget",
        5,
    ),
    (
        "chatCompression",
        {"contextPercentageThreshold": 0.7},
        "model.compressionThreshold",
        0.7,
    ),
    ("selectedAuthType", "x", "security.auth.selectedType", "x"),
    ("enforcedAuthType", "x", "security.auth.enforcedType", "x"),
    ("useExternalAuth", True, "security.auth.useExternal", True),
    ("folderTrust", False, "security.folderTrust.enabled", False),
    ("usageStatisticsEnabled", False, "privacy.usageStatisticsEnabled", False),
    ("autoConfigureMaxOldSpaceSize", False, "advanced.autoConfigureMemory", False),
    ("bugCommand", {"urlTemplate": "x"}, "advanced.bugCommand.urlTemplate", "x"),
    ("dnsResolutionOrder", "verbatim", "advanced.dnsResolutionOrder", "verbatim"),
    (
        "excludedProjectEnvVars",
        ["X"],
        "advanced.excludedEnvVars",
        ["DEBUG", "DEBUG_MODE", "X"],
    ),
    ("model.enableLoopDetection", False, "model.disableLoopDetection", True),
    ("tools.enableLLMCorrection", True, "tools.disableLLMCorrection", False),
    ("security.enableYoloMode", False, "security.disableYoloMode", True),
    ("security.enableAlwaysAllow", False, "security.disableAlwaysAllow", True),
    ("agents.browser.enableUserInput", True, "agents.browser.disableUserInput", False),
]


def nested(key: str, value: object) -> dict[str, Any]:
    for name in reversed(key.split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def at(values: Any, key: str) -> object:
    for name in key.split("."):
        values = values.get(name) if isinstance(values, dict) else None
    return values


def seen(config: Config, key: str) -> object:
    assert config.warnings == ()
    return at(config.values, key)


@pytest.mark.parametrize(("old", "value", "new", "expected"), LASTING + FLAT)
def test_an_old_key_is_understood(
    machine: Machine, old: str, value: object, new: str, expected: object
):
    machine.write(user=nested(old, value))
    config = machine.load()
    assert seen(config, new) == expected
    if old != new and not new.startswith(f"{old}."):
        assert at(config.layers[1].values, old) is None or old == "extensions"


@pytest.mark.parametrize(("old", "value", "new", "expected"), LASTING)
def test_a_lasting_change_reaches_the_file(
    machine: Machine, old: str, value: object, new: str, expected: object
):
    machine.write(workspace=nested(old, value))
    done = migrate_files(machine.load())
    assert [m.path for m in done] == [machine.workspace]
    written = json.loads(machine.workspace.read_text())
    assert at(written, new) == expected
    if old != new:
        assert at(written, old) is None
    assert migrate_files(machine.load()) == ()


@pytest.mark.parametrize(("old", "value", "new", "_expected"), FLAT)
def test_flat_keys_stay_in_the_file(
    machine: Machine, old: str, value: object, new: str, _expected: object
):
    if "disableLoadingPhrases" in str(value) or "disableFuzzySearch" in str(value):
        value = {}
    machine.write(user=nested(old, value))
    before = machine.user.read_text()
    migrate_files(machine.load())
    assert machine.user.read_text() == before


@pytest.mark.parametrize(
    ("settings", "key", "expected"),
    [
        (
            {"general": {"disableAutoUpdate": True, "enableAutoUpdate": True}},
            "general.enableAutoUpdate",
            True,
        ),
        ({"theme": "dark", "ui": {"theme": "ANSI"}}, "ui.theme", "ANSI"),
        ({"vimMode": True, "general": {"vimMode": False}}, "general.vimMode", False),
        (
            {"accessibility": {"screenReader": True, "x": 1}, "ui": {"accessibility": {"x": 2}}},
            "ui.accessibility",
            {"x": 2, "screenReader": True},
        ),
        (
            {"autoApproveTools": True, "tools": {"approvalMode": "default"}},
            "general.defaultApprovalMode",
            "auto_edit",
        ),
        (
            {"agents": {"disabled": ["my-agent"], "overrides": {"my_agent": {"enabled": True}}}},
            "agents.overrides",
            {"my_agent": {"enabled": True}},
        ),
        (
            {"hooks": {"disabled": ["a", "b"]}, "hooksConfig": {"disabled": ["b", "c"]}},
            "hooksConfig.disabled",
            ["b", "c", "a"],
        ),
    ],
)
def test_the_newer_name_wins(
    machine: Machine, settings: dict[str, object], key: str, expected: object
):
    machine.write(user=settings)
    assert seen(machine.load(), key) == expected


def test_migration_never_writes_what_a_reference_stands_for(machine: Machine):
    text = (
        "{\n"
        "  // servers\n"
        '  "mcpServers": { "a": { "command": "x", "env": { "K": "$SECRET" } } }, // keep me\n'
        '  "general": { "disableAutoUpdate": true, /* why */ "vimMode": true }\n'
        "}\n"
    )
    machine.write(user=text)
    config = machine.load({"SECRET": "sk-12345"})
    assert config.settings.mcp_servers["a"].env == {"K": "sk-12345"}
    (done,) = migrate_files(config)
    assert done.old_keys == ("general.disableAutoUpdate",)
    assert machine.user.read_text() == text.replace(
        '"disableAutoUpdate": true, /* why */ "vimMode": true',
        '/* why */ "vimMode": true, "enableAutoUpdate": false',
    )


def test_a_reference_in_an_inverted_key_is_left_to_the_person(machine: Machine):
    machine.write(user={"general": {"disableAutoUpdate": "$X"}})
    assert migrate_files(machine.load({"X": "true"})) == ()
    assert "$X" in machine.user.read_text()


def test_files_that_are_not_ours_to_write_are_only_reported(machine: Machine):
    old = {"general": {"disableAutoUpdate": True}}
    machine.write(system=old, defaults={"tools": {"approvalMode": "plan"}})
    config = machine.load()
    assert not config.settings.general.enable_auto_update
    assert migrate_files(config) == ()
    assert [w for w in config.warnings if "general.disableAutoUpdate" in w]
    assert len(config.warnings) == 2


def test_an_untrusted_workspace_is_not_rewritten(machine: Machine):
    machine.write(workspace={"general": {"disableAutoUpdate": True}})
    before = machine.workspace.read_text()
    assert migrate_files(machine.untrusted().load()) == ()
    assert machine.workspace.read_text() == before


def test_cloud_shell_sign_in_gets_its_new_name_there_only(machine: Machine):
    machine.write(user={"security": {"auth": {"selectedType": "cloud-shell"}}})
    assert machine.load().settings.security.auth.selected_type == "cloud-shell"
    config = machine.load({"CLOUD_SHELL": "true"})
    assert config.settings.security.auth.selected_type == "compute-default-credentials"


def test_an_api_key_in_the_settings_acts_as_the_variable_and_shows_nowhere(machine: Machine):
    machine.write(user={"apiKey": "$K"})
    config = machine.load({"K": "sk-12345"})
    assert config.env["GEMINI_API_KEY"] == "sk-12345"
    assert config.settings.security.auth.selected_type == "gemini-api-key"
    assert "sk-12345" not in repr(config) + repr(config.layers) + repr(config.values)
    assert machine.load({"K": "a", "GEMINI_API_KEY": "b"}).env["GEMINI_API_KEY"] == "b"
    machine.write(user={"apiKey": "x", "selectedAuthType": "vertex-ai"})
    assert machine.load().settings.security.auth.selected_type == "vertex-ai"


def test_a_reference_to_nothing_is_not_sent_as_an_api_key(machine: Machine):
    machine.write(user={"apiKey": "$NO_SUCH_KEY"})
    config = machine.load()
    assert "GEMINI_API_KEY" not in config.env
    assert config.settings.security.auth.selected_type is None


def test_values_of_extensions_are_handed_over(machine: Machine):
    machine.write(user={"extensions": [{"name": "a", "config": {"KEY": "$K"}}, "odd", {}]})
    assert machine.load({"K": "1"}).extension_values == {"a": {"KEY": "1"}}


def test_a_yolo_default_is_not_believed(machine: Machine):
    machine.write(user={"general": {"defaultApprovalMode": "yolo"}})
    config = machine.load()
    assert config.settings.general.default_approval_mode == "default"
    assert "default, auto_edit, plan" in config.warnings[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"mcpServers": [1, {"command": "x"}], "agents": {"enabled": [1]}, "hooks": []},
        {"agents": [], "hooks": {"enabled": 1}, "chatCompression": 3, "extensions": "x"},
        {"accessibility": 1, "ui": {"accessibility": "x"}, "experimental": {"plan": {}}},
        {"general": 3, "disableAutoUpdate": True, "vimMode": True, "ui": None, "theme": "auto"},
    ],
)
def test_nonsense_in_old_keys_is_reported_not_raised(machine: Machine, settings: dict[str, object]):
    machine.write(user=settings)
    config = machine.load()
    assert config.warnings
    migrate_files(config)
    assert machine.load().settings == config.settings


def test_an_old_switch_behind_a_reference_still_counts_and_stays_in_the_file(machine: Machine):
    text = '{"general": {"disableAutoUpdate": "$OFF"}, "disableUpdateNag": "$OFF", "theme": "$T"}'
    machine.write(user=text)
    config = machine.load({"OFF": "TRUE", "T": "dark"})
    general = config.settings.general
    assert (general.enable_auto_update, general.enable_auto_update_notification) == (False, False)
    assert config.settings.ui.theme == "Default"
    assert migrate_files(config) == () and machine.user.read_text() == text


def test_a_server_without_a_name_vanishes_from_an_old_list_without_a_word(machine: Machine):
    machine.write(user={"mcpServers": [{"command": "x"}, {"name": "b", "command": "y"}, 3]})
    config = machine.load()
    assert list(config.settings.mcp_servers) == ["b"]
    (warning,) = config.warnings
    assert str(machine.user) in warning and "mcpServers[1]" not in warning
    for place in ("mcpServers[0]", "mcpServers[2]"):
        assert f"{place}: left out (expected a server with a name" in warning


@pytest.mark.parametrize("word", ["no", "off", 0, "FALSE "])
def test_a_ban_written_loosely_under_its_other_name_holds(machine: Machine, word: object):
    machine.write(user={"security": {"enableYoloMode": word}})
    assert machine.load().settings.security.disable_yolo_mode
