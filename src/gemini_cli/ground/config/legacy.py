"""Settings as the first versions wrote them: flat keys, lists of servers, switched lists.

They are understood in memory only; a nested key of today always wins. What they say is
returned in today's shape, apart from an API key and extension values, which have no place
in the settings and are handed over beside them.
"""

from collections.abc import Callable

from msgspec import Struct

from gemini_cli.ground.config.migrate import MISSING, copied, get, inverted, pop, put
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


def _under(table: str, *names: str) -> dict[str, str]:
    return {name: f"{table}.{name}" for name in names}


FLAT: dict[str, str] = {
    "accessibility": "ui.accessibility",
    "allowedTools": "tools.allowed",
    "coreTools": "tools.core",
    "excludeTools": "tools.exclude",
    "toolDiscoveryCommand": "tools.discoveryCommand",
    "toolCallCommand": "tools.callCommand",
    "sandbox": "tools.sandbox",
    "useRipgrep": "tools.useRipgrep",
    "enableInteractiveShell": "tools.shell.enableInteractiveShell",
    "shellPager": "tools.shell.pager",
    "shellShowColor": "tools.shell.showColor",
    "shellInactivityTimeout": "tools.shell.inactivityTimeout",
    "allowMCPServers": "mcp.allowed",
    "excludeMCPServers": "mcp.excluded",
    "mcpServerCommand": "mcp.serverCommand",
    "contextFileName": "context.fileName",
    "memoryImportFormat": "context.importFormat",
    "memoryDiscoveryMaxDirs": "context.discoveryMaxDirs",
    **_under("context", "fileFiltering", "includeDirectories", "loadMemoryFromIncludeDirectories"),
    **_under(
        "general",
        "checkpointing",
        "preferredEditor",
        "debugKeystrokeLogging",
        "retryFetchErrors",
        "vimMode",
    ),
    **_under(
        "ui",
        "theme",
        "customThemes",
        "customWittyPhrases",
        "hideBanner",
        "hideTips",
        "hideFooter",
        "hideWindowTitle",
        "hideContextSummary",
        "showStatusInTitle",
        "showMemoryUsage",
        "showLineNumbers",
        "showCitations",
    ),
    **_under("ui.footer", "hideCWD", "hideSandboxStatus", "hideModelInfo"),
    "ideMode": "ide.enabled",
    "hasSeenIdeIntegrationNudge": "ide.hasSeenNudge",
    **_under("model", "maxSessionTurns", "skipNextSpeakerCheck", "summarizeToolOutput"),
    "selectedAuthType": "security.auth.selectedType",
    "enforcedAuthType": "security.auth.enforcedType",
    "useExternalAuth": "security.auth.useExternal",
    "folderTrust": "security.folderTrust.enabled",
    "usageStatisticsEnabled": "privacy.usageStatisticsEnabled",
    "autoConfigureMaxOldSpaceSize": "advanced.autoConfigureMemory",
    **_under("advanced", "bugCommand", "dnsResolutionOrder"),
    "excludedProjectEnvVars": "advanced.excludedEnvVars",
    "chatCompression.contextPercentageThreshold": "model.compressionThreshold",
    "hooks.enabled": "hooksConfig.enabled",
    "hooks.disabled": "hooksConfig.disabled",
    "hooks.notifications": "hooksConfig.notifications",
}
"""Old key → new key, the value unchanged."""

INVERTED: dict[str, str] = {
    "disableAutoUpdate": "general.enableAutoUpdate",
    "disableUpdateNag": "general.enableAutoUpdateNotification",
    "model.enableLoopDetection": "model.disableLoopDetection",
    "tools.enableLLMCorrection": "tools.disableLLMCorrection",
    "security.enableYoloMode": "security.disableYoloMode",
    "security.enableAlwaysAllow": "security.disableAlwaysAllow",
    "agents.browser.enableUserInput": "agents.browser.disableUserInput",
}
"""Old key → new key with the opposite meaning."""

_THEMES: dict[str, str | None] = {"light": "Default Light", "dark": "Default", "auto": None}


class Legacy(Struct, frozen=True):
    """Settings in today's shape, and what does not belong in them."""

    values: JsonObject
    keys: tuple[str, ...] = ()
    api_key: str | None = None
    extension_values: JsonObject = {}
    nameless: tuple[str, ...] = ()
    """Entries of an old list of servers that have no name to go by and are left out."""

    def __repr__(self) -> str:
        return f"Legacy(keys={self.keys!r})"


def modern(values: JsonObject) -> Legacy:
    """`values` with everything the first versions wrote in its place of today."""
    new = copied(values)
    keys: list[str] = []
    _containers(new, keys)
    for old, goal in FLAT.items():
        _carry(new, old, goal, keys)
    for old, goal in INVERTED.items():
        value = inverted(get(new, old)) if get(new, old) is not MISSING else MISSING
        if value is not MISSING:
            pop(new, old)
            keys.append(old)
            _fill(new, goal, value)
    if get(new, "chatCompression") == {}:
        pop(new, "chatCompression")
    if pop_if(new, "autoApproveTools", lambda v: isinstance(v, bool)) is True:
        keys.append("autoApproveTools")
        _fill(new, "general.defaultApprovalMode", "auto_edit")
    _agents(new, keys)
    extension_values = _extensions(new, keys)
    api_key = pop(new, "apiKey")
    if api_key is not MISSING:
        keys.append("apiKey")
    return Legacy(
        new,
        tuple(keys),
        api_key if isinstance(api_key, str) else None,
        extension_values,
        nameless(values.get("mcpServers")),
    )


def _carry(new: JsonObject, old: str, goal: str, keys: list[str]) -> None:
    value = pop(new, old)
    if value is MISSING:
        return
    keys.append(old)
    if old == "theme" and isinstance(value, str) and value in _THEMES:
        value = _THEMES[value]
        if value is None:
            _fill(new, "ui.autoThemeSwitching", True)
            return
    known = get(new, goal)
    if old == "hooks.disabled" and isinstance(known, list) and isinstance(value, list):
        seen = {hook for hook in known if isinstance(hook, str)}
        put(new, goal, known + [h for h in value if isinstance(h, str) and h not in seen])
    else:
        _fill(new, goal, value)


def _fill(new: JsonObject, goal: str, value: JsonValue) -> None:
    """Sets what is not set yet; of two objects, only the members that are missing."""
    known = get(new, goal)
    if known is MISSING:
        put(new, goal, value)
    elif isinstance(known, dict) and isinstance(value, dict):
        for name, inner in value.items():
            if name not in known:
                known[name] = inner


def container(name: str, value: JsonValue) -> JsonValue:
    """What a key that is an object today held when it was a plain value; else unchanged."""
    if name == "model" and isinstance(value, str):
        return {"name": value}
    if name == "telemetry" and isinstance(value, bool):
        return {"enabled": value}
    if name == "mcpServers" and isinstance(value, list):
        return {
            server["name"]: {k: v for k, v in server.items() if k != "name"}
            for server in value
            if _named(server)
        }
    if name == "extensions" and isinstance(value, list):
        off = [e["name"] for e in value if _named(e) and e.get("enabled") is False]
        return {"disabled": off} if off else {}
    return value


def nameless(servers: JsonValue) -> tuple[str, ...]:
    """The places in an old list of servers that hold no server with a name."""
    listed = servers if isinstance(servers, list) else []
    return tuple(f"mcpServers[{i}]" for i, entry in enumerate(listed) if not _named(entry))


def _containers(new: JsonObject, keys: list[str]) -> None:
    for name in ("model", "telemetry", "mcpServers"):
        value = new.get(name)
        changed = container(name, value)
        if changed is not value:
            new[name] = changed
            keys.append(name)


def _extensions(new: JsonObject, keys: list[str]) -> JsonObject:
    listed = new.get("extensions")
    if not isinstance(listed, list):
        return {}
    keys.append("extensions")
    new["extensions"] = container("extensions", listed)
    return {e["name"]: e["config"] for e in listed if _named(e) and _is_object(e.get("config"))}


def _agents(new: JsonObject, keys: list[str]) -> None:
    for name, switch in (("enabled", True), ("disabled", False)):
        listed = pop_if(new, f"agents.{name}", lambda v: isinstance(v, list))
        if listed is MISSING:
            continue
        keys.append(f"agents.{name}")
        overrides = new["agents"].setdefault("overrides", {})
        if not isinstance(overrides, dict):
            continue
        spelled = {known.replace("-", "_"): known for known in overrides}
        for agent in listed:
            if isinstance(agent, str):
                known = spelled.setdefault(agent.replace("-", "_"), agent)
                entry = overrides.setdefault(known, {})
                if isinstance(entry, dict):
                    entry.setdefault("enabled", switch)


def pop_if(new: JsonObject, key: str, fits: Callable[[JsonValue], bool]) -> JsonValue:
    """Takes `key` out where its value is of the old kind."""
    value = get(new, key)
    return pop(new, key) if value is not MISSING and fits(value) else MISSING


def _named(entry: JsonValue) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _is_object(value: JsonValue) -> bool:
    return isinstance(value, dict)
