"""The JSON Schema of settings.json, made from the tables, for editors that complete and check.

It describes what the program accepts; it is never used to check a file here.
"""

from collections.abc import Callable
from typing import Any, Literal, get_args

from gemini_cli.ground.config.tables import Settings
from gemini_cli.ground.config.tables.setting import Field, Table, arms, closed, fields, origin_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS = {bool: "boolean", int: "integer", float: "number", str: "string"}


def json_schema() -> JsonObject:
    """The schema of a whole settings file. `admin` is left out: files cannot set it."""
    definitions: JsonObject = {}
    root = _object(Settings, definitions)
    del root["properties"]["admin"]
    for name in ("Admin", "AdminMcp", "AdminSwitch"):
        definitions.pop(name, None)
    root["properties"] = {"$schema": {"type": "string"}, **root["properties"]}
    return {"$schema": DIALECT, "title": "settings.json", **root, "$defs": definitions}


def _object(table: type[Table], definitions: JsonObject) -> JsonObject:
    found: JsonObject = {
        "type": "object",
        "properties": {key: _field(f, definitions) for key, f in fields(table).items()},
    }
    if closed(table):
        found["additionalProperties"] = False
    return found


def _field(field: Field, definitions: JsonObject) -> JsonObject:
    if field.setting is not None and field.setting.entries:
        (hint,) = get_args(field.hint)[1:]
        inner = _hint(hint, definitions)
        event = {**inner, "description": field.setting.help}
        found: JsonObject = {
            "type": "object",
            "properties": dict.fromkeys(field.setting.entries, event),
            "additionalProperties": inner,
        }
    else:
        found = _hint(field.hint, definitions)
    if field.setting is not None:
        found = {**found, "description": field.setting.help}
        if field.setting.deprecated:
            found["deprecated"] = True
    if field.table is None and field.default is not None:
        found = {**found, "default": _plain(field.default)}
    return found


def _hint(hint: object, definitions: JsonObject) -> JsonObject:
    found = [_arm(arm, definitions) for arm in arms(hint)]
    return found[0] if len(found) == 1 else {"anyOf": found}


def _arm(arm: Any, definitions: JsonObject) -> JsonObject:
    if arm is Any:
        return {}
    if isinstance(arm, type) and issubclass(arm, Table):
        return _reference(arm, definitions, lambda: _object(arm, definitions))
    origin = origin_of(arm)
    if origin is Literal:
        return {"enum": list(get_args(arm))}
    if origin is tuple:
        return {"type": "array", "items": _hint(get_args(arm)[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _hint(get_args(arm)[1], definitions)}
    return {"type": _SCALARS[arm]}


def _reference(
    table: type[Table], definitions: JsonObject, make: Callable[[], JsonObject]
) -> JsonObject:
    name = table.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = make()
    return {"$ref": f"#/$defs/{name}"}


def _plain(value: JsonValue) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value
