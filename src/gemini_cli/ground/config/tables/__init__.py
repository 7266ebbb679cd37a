"""Every setting there is: one table for each room, and `Settings`, which holds them all.

A room is handed its own table and never sees the rest. The tables know types, defaults and
merge rules; they read no files and change nothing.
"""

from typing import Annotated

from gemini_cli.ground.config.tables.agents import AgentOverride, Agents, Browser
from gemini_cli.ground.config.tables.context import Context, ContextManagement, FileFiltering
from gemini_cli.ground.config.tables.experimental import Experimental
from gemini_cli.ground.config.tables.general import (
    Billing,
    General,
    Ide,
    Output,
    Privacy,
    SessionRetention,
)
from gemini_cli.ground.config.tables.hooks import (
    HOOKS,
    Extensions,
    HookCommand,
    HookDefinition,
    Hooks,
    HooksConfig,
    Skills,
)
from gemini_cli.ground.config.tables.mcp import Mcp, McpOAuth, McpServer
from gemini_cli.ground.config.tables.model import Model, ModelConfigs, ModelProvider
from gemini_cli.ground.config.tables.security import (
    Admin,
    Advanced,
    Auth,
    OAuthClient,
    Redaction,
    Security,
)
from gemini_cli.ground.config.tables.setting import Merge, Row, Setting, Table, rows
from gemini_cli.ground.config.tables.telemetry import Telemetry
from gemini_cli.ground.config.tables.tools import Shell, Tools, ToolSandbox
from gemini_cli.ground.config.tables.ui import Accessibility, CustomTheme, Footer, Ui

__all__ = [
    "Accessibility",
    "Admin",
    "Advanced",
    "AgentOverride",
    "Agents",
    "Auth",
    "Billing",
    "Browser",
    "Context",
    "ContextManagement",
    "CustomTheme",
    "Experimental",
    "Extensions",
    "FileFiltering",
    "Footer",
    "General",
    "HookCommand",
    "HookDefinition",
    "Hooks",
    "HooksConfig",
    "Ide",
    "Mcp",
    "McpOAuth",
    "McpServer",
    "Merge",
    "Model",
    "ModelConfigs",
    "ModelProvider",
    "OAuthClient",
    "Output",
    "Privacy",
    "Redaction",
    "Row",
    "Security",
    "SessionRetention",
    "Setting",
    "Settings",
    "Shell",
    "Skills",
    "Telemetry",
    "ToolSandbox",
    "Tools",
    "Ui",
    "all_rows",
]


class Settings(Table, frozen=True):
    """The root of settings.json. `Settings()` is what holds when no file says anything."""

    mcp_servers: Annotated[
        dict[str, McpServer],
        Setting("MCP servers, by name.", restart=True, merge=Merge.SHALLOW),
    ] = {}
    policy_paths: Annotated[
        tuple[str, ...],
        Setting("More policy files or folders.", restart=True, merge=Merge.UNION),
    ] = ()
    admin_policy_paths: Annotated[
        tuple[str, ...],
        Setting("More policy files or folders of the admin tier.", restart=True, merge=Merge.UNION),
    ] = ()
    use_write_todos: Annotated[bool, Setting("Offer the todo tool.")] = True
    general: General = General()
    output: Output = Output()
    ui: Ui = Ui()
    ide: Ide = Ide()
    privacy: Privacy = Privacy()
    telemetry: Telemetry = Telemetry()
    billing: Billing = Billing()
    model: Model = Model()
    model_configs: ModelConfigs = ModelConfigs()
    agents: Agents = Agents()
    context: Context = Context()
    tools: Tools = Tools()
    mcp: Mcp = Mcp()
    security: Security = Security()
    advanced: Advanced = Advanced()
    experimental: Experimental = Experimental()
    extensions: Extensions = Extensions()
    skills: Skills = Skills()
    hooks_config: HooksConfig = HooksConfig()
    hooks: Annotated[Hooks, HOOKS] = {}
    context_management: ContextManagement = ContextManagement()
    admin: Admin = Admin()


def all_rows() -> tuple[Row, ...]:
    """Every setting with its full key, in the order people read them."""
    return tuple(rows(Settings))
