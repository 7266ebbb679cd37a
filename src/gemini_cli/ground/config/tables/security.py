"""Settings of what is forbidden, trusted and signed in; advanced and remote ones too."""

from typing import Annotated

from gemini_cli.ground.config.tables.mcp import McpServer
from gemini_cli.ground.config.tables.setting import ClosedTable, Merge, Setting, Table


class FolderTrust(Table, frozen=True):
    enabled: Annotated[
        bool, Setting("Ask whether a folder is trusted.", shown=True, restart=True)
    ] = True


class Redaction(Table, frozen=True):
    allowed: Annotated[tuple[str, ...], Setting("Variables tools always get.", restart=True)] = ()
    blocked: Annotated[tuple[str, ...], Setting("Variables tools never get.", restart=True)] = ()
    enabled: Annotated[
        bool, Setting("Keep secrets out of the tools' environment.", shown=True, restart=True)
    ] = False


class OAuthClient(ClosedTable, frozen=True):
    id: Annotated[str | None, Setting("Id of your own OAuth client.", restart=True)] = None
    secret: Annotated[str | None, Setting("Secret of your own OAuth client.", restart=True)] = None


class Auth(Table, frozen=True):
    selected_type: Annotated[str | None, Setting("How to sign in.", restart=True)] = None
    enforced_type: Annotated[
        str | None, Setting("The only way to sign in that is accepted.", restart=True)
    ] = None
    use_external: Annotated[bool | None, Setting("Signing in is done outside.", restart=True)] = (
        None
    )
    oauth_client: OAuthClient = OAuthClient()


class Security(Table, frozen=True):
    """`security`"""

    tool_sandboxing: Annotated[
        bool, Setting("Run each tool in a sandbox of its own.", shown=True, restart=True)
    ] = False
    disable_yolo_mode: Annotated[
        bool, Setting("Forbid the mode that asks nothing.", shown=True, restart=True)
    ] = False
    disable_always_allow: Annotated[
        bool, Setting("Leave `always allow` out of questions.", shown=True, restart=True)
    ] = False
    enable_permanent_tool_approval: Annotated[
        bool, Setting("Offer `allow in all future sessions`.", shown=True)
    ] = False
    auto_add_to_policy_by_default: Annotated[
        bool, Setting("Preselect `allow in all future sessions`.", shown=True)
    ] = False
    block_git_extensions: Annotated[
        bool, Setting("Forbid extensions from git.", shown=True, restart=True)
    ] = False
    allowed_extensions: Annotated[
        tuple[str, ...],
        Setting("Patterns of extension sources that are allowed.", shown=True, restart=True),
    ] = ()
    folder_trust: FolderTrust = FolderTrust()
    environment_variable_redaction: Redaction = Redaction()
    auth: Auth = Auth()
    enable_conseca: Annotated[
        bool, Setting("Let a model check tool calls for safety.", shown=True, restart=True)
    ] = False


class BugCommand(ClosedTable, frozen=True):
    url_template: Annotated[
        str | None, Setting("Address of /bug; {title}, {info} and {problem} are filled in.")
    ] = None


class Advanced(Table, frozen=True):
    """`advanced`"""

    auto_configure_memory: Annotated[
        bool, Setting("Accepted for compatibility; has no effect.", shown=True, restart=True)
    ] = True
    dns_resolution_order: Annotated[
        str,
        Setting(
            "Order of addresses: ipv4first or verbatim.",
            restart=True,
            words=("ipv4first", "verbatim"),
        ),
    ] = "ipv4first"
    excluded_env_vars: Annotated[
        tuple[str, ...],
        Setting("Variables not taken from a project's .env.", merge=Merge.UNION),
    ] = ("DEBUG", "DEBUG_MODE")
    ignore_local_env: Annotated[
        bool, Setting("Read no plain .env outside the home directory.", shown=True, restart=True)
    ] = False
    bug_command: BugCommand = BugCommand()


class AdminSwitch(Table, frozen=True):
    enabled: Annotated[bool, Setting("Allowed at all.", remote_only=True)] = True


class AdminMcp(Table, frozen=True):
    enabled: Annotated[bool, Setting("MCP servers are allowed.", remote_only=True)] = True
    config: Annotated[
        dict[str, McpServer], Setting("The only servers that may be used.", remote_only=True)
    ] = {}
    required_config: Annotated[
        dict[str, McpServer], Setting("Servers that are always used.", remote_only=True)
    ] = {}


class Admin(Table, frozen=True):
    """`admin`: set by an organisation's service, never by a file."""

    secure_mode_enabled: Annotated[
        bool, Setting("Forbid what skips questions.", remote_only=True)
    ] = False
    extensions: AdminSwitch = AdminSwitch()
    mcp: AdminMcp = AdminMcp()
    skills: AdminSwitch = AdminSwitch()
