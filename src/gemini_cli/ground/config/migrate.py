"""Old names of settings, given their new ones. A newer name wins; the older one goes.

`renamed` is for changes that are also written back to the file, `legacy` for the flat keys
of the first versions, which change in memory only. Both take and return plain JSON as it
stands in the file, references such as `$NAME` unresolved.
"""

from collections.abc import Callable

from msgspec import Struct

from gemini_cli.ground.config.validate import NO, YES
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

MISSING = object()

_INVERTED = (
    ("general.disableAutoUpdate", "general.enableAutoUpdate"),
    ("general.disableUpdateNag", "general.enableAutoUpdateNotification"),
    ("ui.accessibility.disableLoadingPhrases", "ui.accessibility.enableLoadingPhrases"),
    ("context.fileFiltering.disableFuzzySearch", "context.fileFiltering.enableFuzzySearch"),
)
_MOVED = (
    ("tools.approvalMode", "general.defaultApprovalMode"),
    ("experimental.plan", "general.plan.enabled"),
    ("experimental.cliHelpAgentSettings.enabled", "agents.overrides.cli_help.enabled"),
)
_INVESTIGATOR = "experimental.codebaseInvestigatorSettings"
_INVESTIGATOR_MOVES = {
    "enabled": "enabled",
    "maxNumTurns": "runConfig.maxTurns",
    "maxTimeMinutes": "runConfig.maxTimeMinutes",
    "model": "modelConfig.model",
    "thinkingBudget": "modelConfig.generateContentConfig.thinkingConfig.thinkingBudget",
}
_THEMES = {"VS": "Default Light", "VS2015": "Default"}


class Renamed(Struct, frozen=True):
    """An object after its keys were renamed, and the old names that were found."""

    values: JsonObject
    old_keys: tuple[str, ...]


def renamed(values: JsonObject, *, cloud_shell: bool = False) -> Renamed:
    """`values` with today's names for yesterday's keys."""
    new = copied(values)
    old: list[str] = []
    for before, after in _INVERTED:
        _move(new, before, after, old, inverted)
    for before, after in _MOVED:
        _move(new, before, after, old, _plain if before != "experimental.plan" else _switch)
    for before, after in _INVESTIGATOR_MOVES.items():
        goal = f"agents.overrides.codebase_investigator.{after}"
        _move(new, f"{_INVESTIGATOR}.{before}", goal, old, _plain)
    for emptied in (_INVESTIGATOR, "experimental.cliHelpAgentSettings"):
        if get(new, emptied) == {}:
            pop(new, emptied)
    _phrases(new, old)
    theme = get(new, "ui.theme")
    if isinstance(theme, str) and theme in _THEMES:
        put(new, "ui.theme", _THEMES[theme])
        old.append(f"ui.theme {theme}")
    if cloud_shell and get(new, "security.auth.selectedType") == "cloud-shell":
        put(new, "security.auth.selectedType", "compute-default-credentials")
        old.append("security.auth.selectedType cloud-shell")
    return Renamed(new, tuple(old))


def _phrases(new: JsonObject, old: list[str]) -> None:
    switch = _switch(get(new, "ui.accessibility.enableLoadingPhrases"))
    if switch is False and get(new, "ui.loadingPhrases") is MISSING:
        put(new, "ui.loadingPhrases", "off")
        old.append("ui.accessibility.enableLoadingPhrases")


def _move(
    values: JsonObject,
    before: str,
    after: str,
    old: list[str],
    change: Callable[[JsonValue], JsonValue],
) -> None:
    value = get(values, before)
    if value is MISSING:
        return
    if get(values, after) is MISSING:
        wanted = change(value)
        if wanted is MISSING or not put(values, after, wanted):
            return
    pop(values, before)
    old.append(before)


def _plain(value: JsonValue) -> JsonValue:
    return value


def _switch(value: JsonValue) -> JsonValue:
    """A boolean, or MISSING where the value is none and the key had better stay."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    return word in YES if word in YES or word in NO else MISSING


def inverted(value: JsonValue) -> JsonValue:
    """The opposite boolean, or MISSING."""
    switch = _switch(value)
    return MISSING if switch is MISSING else not switch


# ── dotted access to plain objects ────────────────────────────────────────
def get(values: JsonObject, key: str) -> JsonValue:
    """What is at the dotted `key`, or MISSING."""
    found: JsonValue = values
    for name in key.split("."):
        if not isinstance(found, dict) or name not in found:
            return MISSING
        found = found[name]
    return found


def put(values: JsonObject, key: str, value: JsonValue) -> bool:
    """Sets the dotted `key`. False where something on the way is no object."""
    *way, last = key.split(".")
    target: JsonValue = values
    for name in way:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            return False
    target[last] = value
    return True


def pop(values: JsonObject, key: str) -> JsonValue:
    """Takes the dotted `key` out and returns what it held, or MISSING."""
    way, _, last = key.rpartition(".")
    target = get(values, way) if way else values
    return target.pop(last, MISSING) if isinstance(target, dict) else MISSING


def copied(values: JsonObject) -> JsonObject:
    """A copy whose objects may be changed; lists are shared and must not be."""
    return {k: copied(v) if isinstance(v, dict) else v for k, v in values.items()}
