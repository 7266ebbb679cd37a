"""How layers meet: each key by its own rule."""

import pytest

from gemini_cli.ground.config import LayerKind
from gemini_cli.ground.config.tables import McpServer
from ground.config.machine import Machine


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


@pytest.mark.parametrize("workspace", [{"mcp": None}, {"mcp": {"allowed": None, "excluded": None}}])
def test_a_project_cannot_lift_what_the_person_forbids_by_saying_null(
    machine: Machine, workspace: dict[str, object]
):
    machine.write(user={"mcp": {"allowed": [" a ", "b"], "excluded": ["c"]}}, workspace=workspace)
    mcp = machine.load().settings.mcp
    assert (mcp.allowed, mcp.excluded) == (("a", "b"), ("c",))
