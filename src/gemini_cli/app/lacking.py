"""What settings and variables ask for that this version lacks, and what is on its way out.

A sandbox that cannot be entered stops the start, because going on without one would be less
safe than was asked for. Everything else is told in one line and changes nothing.
"""

from collections.abc import Iterator

from gemini_cli.app.launch import Launch
from gemini_cli.ground.config.load import Config
from gemini_cli.ground.config.tables import Settings, ToolSandbox
from gemini_cli.protocol.errors import SandboxError

_UNHEEDED = (
    "mcpServers",
    "mcp.serverCommand",
    "policyPaths",
    "adminPolicyPaths",
    "tools.discoveryCommand",
    "model.providers",
    "model.summarizeToolOutput",
    "general.checkpointing.enabled",
    "telemetry.enabled",
    "security.enableConseca",
)
"""Keys that start nothing yet, whatever they hold."""


def deprecated(config: Config, launch: Launch) -> Iterator[str]:
    """A warning for each old way to say which tools may run."""
    later = "is deprecated: policy files will take its place. It still counts"
    for key in ("tools.allowed", "tools.exclude"):
        if config.value(key):
            yield f"{key} {_place(config, key)}{later}"
    if launch.allowed_tools:
        yield f"--allowed-tools {later}"


def refuse_sandbox(config: Config, launch: Launch) -> None:
    """Raises `SandboxError` where somebody asks for a sandbox and this is none."""
    if config.env.text("SANDBOX"):
        return
    wish = _sandbox_wish(config, launch)
    if wish is not None:
        who, way_out = wish
        raise SandboxError(
            f"{who} asks for a sandbox, and there is none in this version. Run gemini in a "
            f"container of your own with the variable SANDBOX set there, or {way_out}"
        )


def unheeded(config: Config) -> Iterator[str]:
    """One warning that names every setting without effect, each file once, where there are any."""
    keys = [key for key in _UNHEEDED if config.value(key)]
    if config.settings.hooks_config.enabled and any(config.settings.hooks.values()):
        keys.append("hooks")
    places: dict[str, list[str]] = {}
    for key in keys:
        places.setdefault(_place(config, key), []).append(key)
    if places:
        named = ", ".join(f"{', '.join(found)} {place}".rstrip() for place, found in places.items())
        yield f"Not in this version, so without effect: {named}"


def _sandbox_wish(config: Config, launch: Launch) -> tuple[str, str] | None:
    """Who asks for a sandbox, and how to go without. A flag just typed outweighs a variable here:
    of two contrary wishes the careful one counts."""
    settings = config.settings
    if launch.sandbox:
        return "--sandbox", "leave the flag away to go without"
    variable = (config.env.text("GEMINI_SANDBOX") or "").strip().lower()
    if variable and variable not in ("false", "0"):
        return "GEMINI_SANDBOX", "set GEMINI_SANDBOX=false to go without"
    if not variable and launch.sandbox is None and _boxed(settings):
        key = "tools.sandbox"
        return f"{key} {_place(config, key)}".rstrip(), "give --no-sandbox to go without"
    if settings.security.tool_sandboxing:
        key = "security.toolSandboxing"
        return f"{key} {_place(config, key)}".rstrip(), "set it to false to go without"
    return None


def _boxed(settings: Settings) -> bool:
    sandbox = settings.tools.sandbox
    if isinstance(sandbox, ToolSandbox):
        return bool(sandbox.enabled)
    return sandbox not in (None, False, "", "0")


def _place(config: Config, key: str) -> str:
    """The file that says so, in brackets and with a blank behind it."""
    path = config.origin(key).path
    return f"({path}) " if path is not None else ""
