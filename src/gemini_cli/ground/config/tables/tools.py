"""Settings of tools: which there are, the sandbox they run in, the shell."""

from typing import Annotated, Literal

from msgspec import field

from gemini_cli.ground.config.tables.setting import ClosedTable, Merge, Setting, Table


class ToolSandbox(ClosedTable, frozen=True):
    """`tools.sandbox` in its long form."""

    enabled: bool | None = None
    command: str | None = None
    image: str | None = None
    allowed_paths: tuple[str, ...] = ()
    network_access: bool | None = None


class Shell(Table, frozen=True):
    enable_interactive_shell: Annotated[
        bool, Setting("Run commands in a terminal of their own.", shown=True, restart=True)
    ] = True
    background_completion_behavior: Annotated[
        Literal["silent", "inject", "notify"],
        Setting("What happens when a background command ends."),
    ] = "silent"
    pager: Annotated[str, Setting("Pager that commands are given.")] = "cat"
    show_color: Annotated[bool, Setting("Keep the colours of command output.", shown=True)] = True
    inactivity_timeout: Annotated[
        float, Setting("Seconds without output after which a command is stopped.")
    ] = 300
    enable_shell_output_efficiency: Annotated[
        bool, Setting("Tell the model to keep command output short.")
    ] = True


class Tools(Table, frozen=True):
    """`tools`"""

    sandbox: Annotated[
        bool | str | ToolSandbox | None,
        Setting("Run tools in a sandbox: yes or no, a command, or details.", restart=True),
    ] = None
    sandbox_allowed_paths: Annotated[
        tuple[str, ...], Setting("More paths the sandbox may use.", shown=True, restart=True)
    ] = ()
    sandbox_network_access: Annotated[
        bool, Setting("Let the sandbox use the network.", shown=True, restart=True)
    ] = False
    shell: Shell = Shell()
    core: Annotated[
        tuple[str, ...] | None, Setting("Offer these built-in tools only.", restart=True)
    ] = None
    allowed: Annotated[
        tuple[str, ...] | None,
        Setting("Tools that run without asking.", restart=True, deprecated="policy files"),
    ] = None
    confirmation_required: Annotated[
        tuple[str, ...] | None, Setting("Tools that always ask.", restart=True)
    ] = None
    exclude: Annotated[
        tuple[str, ...] | None,
        Setting("Tools to leave out.", restart=True, merge=Merge.UNION, deprecated="policy files"),
    ] = None
    discovery_command: Annotated[
        str | None, Setting("Command that lists the project's tools.", restart=True)
    ] = None
    call_command: Annotated[
        str | None, Setting("Command that runs a tool of the project.", restart=True)
    ] = None
    use_ripgrep: Annotated[bool, Setting("Search with ripgrep.", shown=True)] = True
    truncate_tool_output_threshold: Annotated[
        int, Setting("Characters of output the model sees; 0 for all.", shown=True, restart=True)
    ] = 40_000
    disable_llm_correction: Annotated[
        bool, Setting("Do not let a model mend failed edits.", shown=True, restart=True)
    ] = field(default=True, name="disableLLMCorrection")
