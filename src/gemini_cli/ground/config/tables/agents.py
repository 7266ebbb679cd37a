"""Settings of subagents, the browser agent among them."""

from typing import Annotated, Literal

from gemini_cli.ground.config.tables.mcp import McpServer
from gemini_cli.ground.config.tables.setting import ClosedTable, Setting, Table
from gemini_cli.protocol.jsonvalue import JsonObject


class AgentRun(ClosedTable, frozen=True):
    max_time_minutes: float | None = None
    max_turns: int | None = None


class AgentOverride(ClosedTable, frozen=True):
    """One entry of `agents.overrides`. What is unset stays as the agent has it."""

    enabled: bool | None = None
    model_config: JsonObject | None = None
    run_config: AgentRun | None = None
    tools: tuple[str, ...] | None = None
    mcp_servers: dict[str, McpServer] | None = None


class Browser(Table, frozen=True):
    session_mode: Annotated[
        Literal["persistent", "isolated", "existing"],
        Setting("Which browser profile the agent uses.", restart=True),
    ] = "persistent"
    headless: Annotated[bool, Setting("Run the browser without a window.", restart=True)] = False
    profile_path: Annotated[str | None, Setting("Folder of the browser profile.", restart=True)] = (
        None
    )
    visual_model: Annotated[
        str | None, Setting("Model that looks at screenshots.", restart=True)
    ] = None
    allowed_domains: Annotated[
        tuple[str, ...], Setting("Hosts the browser may open.", restart=True)
    ] = ("github.com", "*.google.com", "localhost")
    disable_user_input: Annotated[
        bool, Setting("Keep a person's clicks out while the agent works.")
    ] = True
    max_actions_per_task: Annotated[int, Setting("Actions one task may take.")] = 100
    confirm_sensitive_actions: Annotated[
        bool, Setting("Ask before the browser sends forms.", shown=True, restart=True)
    ] = False
    block_file_uploads: Annotated[
        bool, Setting("Keep the browser from uploading files.", shown=True, restart=True)
    ] = False


class Agents(Table, frozen=True):
    """`agents`"""

    overrides: Annotated[
        dict[str, AgentOverride], Setting("Changes to an agent, by its name.", restart=True)
    ] = {}
    browser: Browser = Browser()
