"""Settings of MCP: the servers, and which of them may be used."""

from typing import Annotated, Literal

from gemini_cli.ground.config.tables.setting import ClosedTable, Merge, Setting, Table


class McpOAuth(ClosedTable, frozen=True):
    enabled: bool | None = None
    client_id: str | None = None
    client_secret: str | None = None
    authorization_url: str | None = None
    token_url: str | None = None
    issuer: str | None = None
    registration_url: str | None = None
    scopes: tuple[str, ...] = ()
    audiences: tuple[str, ...] = ()
    redirect_uri: str | None = None
    token_param_name: str | None = None


class McpServer(ClosedTable, frozen=True):
    """One entry of `mcpServers`."""

    command: Annotated[str | None, Setting("Program to start; speaks MCP on stdio.")] = None
    args: Annotated[tuple[str, ...], Setting("Its arguments.")] = ()
    env: Annotated[dict[str, str], Setting("Variables it gets.")] = {}
    cwd: Annotated[str | None, Setting("Directory it runs in.")] = None
    url: Annotated[str | None, Setting("Address of a remote server.")] = None
    http_url: Annotated[str | None, Setting("Address of a streamable HTTP server.")] = None
    headers: Annotated[dict[str, str], Setting("HTTP headers to send.")] = {}
    tcp: Annotated[str | None, Setting("Address of a WebSocket server.")] = None
    type: Annotated[Literal["stdio", "sse", "http"] | None, Setting("Transport of the server.")] = (
        None
    )
    timeout: Annotated[float | None, Setting("Milliseconds one request may take.")] = None
    trust: Annotated[bool | None, Setting("Run its tools without asking.")] = None
    description: Annotated[str | None, Setting("What the server is for.")] = None
    include_tools: Annotated[tuple[str, ...] | None, Setting("Offer these tools only.")] = None
    exclude_tools: Annotated[tuple[str, ...] | None, Setting("Leave these tools out.")] = None
    oauth: Annotated[McpOAuth | None, Setting("Sign-in of a remote server.")] = None
    auth_provider_type: Annotated[
        Literal["dynamic_discovery", "google_credentials", "service_account_impersonation"] | None,
        Setting("How to get the token."),
    ] = None
    target_audience: Annotated[str | None, Setting("OAuth client id the token is for.")] = None
    target_service_account: Annotated[str | None, Setting("Service account to act as.")] = None


class Mcp(Table, frozen=True):
    """`mcp`"""

    server_command: Annotated[
        str | None, Setting("Command line of one more server.", restart=True)
    ] = None
    allowed: Annotated[
        tuple[str, ...] | None,
        Setting("Use these servers only.", restart=True, merge=Merge.INTERSECT),
    ] = None
    excluded: Annotated[
        tuple[str, ...] | None,
        Setting("Never use these servers.", restart=True, merge=Merge.CONCAT),
    ] = None
