"""Lays one layer of settings over another, each key by its own rule.

It works on plain JSON objects and never changes what it is given. Which layers there are,
and whether they are trusted, is decided before.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.config.tables.setting import Field, Merge, Table, fields
from gemini_cli.ground.config.validate import FORBIDDEN
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue


def merge(layers: Iterable[JsonObject]) -> JsonObject:
    """The layers as one; a later one wins as its keys' rules say."""
    merged: JsonObject = {}
    servers = []
    for layer in layers:
        _over(merged, layer, Settings)
        servers.append(_entries(layer.get("mcp")))
    _restrict(merged, servers)
    return merged


def _restrict(merged: JsonObject, said: Sequence[JsonObject]) -> None:
    """Which MCP servers may be used stands outside the merge: no layer, and no null, takes
    back what another one forbids."""
    allowed = [_list(layer["allowed"]) for layer in said if layer.get("allowed") is not None]
    excluded = [_list(layer["excluded"]) for layer in said if layer.get("excluded") is not None]
    if not allowed and not excluded:
        return
    mcp = merged["mcp"] = _entries(merged.get("mcp"))
    if allowed:
        first = [name.strip() if isinstance(name, str) else name for name in allowed[0]]
        mcp["allowed"] = reduce(_common, allowed[1:], first)
    if excluded:
        mcp["excluded"] = [name for names in excluded for name in names]


def _over(base: JsonObject, layer: JsonObject, table: type[Table] | None) -> None:
    known = fields(table) if table is not None else {}
    for key, value in layer.items():
        if key in FORBIDDEN:
            continue
        field = known.get(key)
        rule = field.setting.merge if field is not None and field.setting else Merge.REPLACE
        if value is None:
            base[key] = None
        elif field is None or rule in (Merge.REPLACE, Merge.INTERSECT):
            _replace(base, key, value, field.table if field is not None else None)
        else:
            base[key] = _joined(rule, field, base.get(key), value, key in base)


def _replace(base: JsonObject, key: str, value: JsonValue, table: type[Table] | None) -> None:
    if isinstance(value, dict):
        inner = base.get(key)
        if not isinstance(inner, dict):
            inner = base[key] = {}
        _over(inner, value, table)
    else:
        base[key] = _copy(value)


def _joined(rule: Merge, field: Field, old: JsonValue, new: JsonValue, said: bool) -> JsonValue:
    if rule is Merge.SHALLOW:
        entries = {k: _copy(v) for k, v in _entries(new).items() if k not in FORBIDDEN}
        return {**_entries(old), **entries}
    if field.setting is not None and field.setting.entries:
        events = dict(_entries(old))
        for event, value in _entries(new).items():
            if event not in FORBIDDEN:
                events[event] = _list(events.get(event)) + _copy(_list(value))
        return events
    joined = (_list(old) if said else list(field.default or ())) + _copy(_list(new))
    return _distinct(joined) if rule is Merge.UNION else joined


def _common(old: list[JsonValue], new: list[JsonValue]) -> list[JsonValue]:
    """Names both allow, whatever their case."""
    allowed = {_folded(name) for name in new}
    return [name for name in old if _folded(name) in allowed]


def _folded(name: JsonValue) -> str:
    return str(name).strip().casefold()


def _distinct(values: list[JsonValue]) -> list[JsonValue]:
    """The values without repeats. Checked lists hold names, which compare quickly."""
    return list(dict.fromkeys(value for value in values if isinstance(value, str)))


def _entries(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _copy(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items() if k not in FORBIDDEN}
    if isinstance(value, list | tuple):
        return [_copy(inner) for inner in value]
    return value
