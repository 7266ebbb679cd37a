"""Says what arguments a tool takes, and checks what a model sent against it.

One table gives both the JSON Schema of the declaration and the check, so they cannot drift
apart. It knows flat objects of strings, integers and booleans; it is no JSON Schema engine.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from gemini_cli.protocol.errors import InvalidArgs
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

ParamType = Literal["string", "integer", "boolean"]


class Param(msgspec.Struct, frozen=True):
    """One argument. Obsolete names in `aliases` are taken for it when it is missing."""

    name: str
    type: ParamType = "string"
    required: bool = False
    minimum: int | None = None
    aliases: tuple[str, ...] = ()
    forgiven: bool = False
    """Declared as required, yet a call without it is accepted."""


def schema_of(params: Sequence[Param], texts: Mapping[str, str]) -> JsonObject:
    """The JSON Schema of these arguments; `texts` describes each by name."""
    properties: JsonObject = {}
    for param in params:
        entry: JsonObject = {"type": param.type, "description": texts[param.name]}
        if param.minimum is not None:
            entry["minimum"] = param.minimum
        properties[param.name] = entry
    required = [param.name for param in params if param.required]
    return {"type": "object", "properties": properties, "required": required}


def checked(params: Sequence[Param], args: JsonValue) -> JsonObject:
    """The arguments under their present names. Raises `InvalidArgs` for the first fault.

    An explicit null stands for an optional argument that was left out; arguments we do not
    know are passed on untouched.
    """
    if not isinstance(args, dict):
        raise InvalidArgs("params must be object")
    known = _renamed(params, args)
    for param in params:
        if param.required and not param.forgiven and param.name not in known:
            raise InvalidArgs(f"params must have required property '{param.name}'")
    for param in params:
        if param.name in known:
            known[param.name] = _value(param, known[param.name])
    return known


def _renamed(params: Sequence[Param], args: JsonObject) -> JsonObject:
    known = dict(args)
    for param in params:
        if known.get(param.name) is None and not param.required:
            known.pop(param.name, None)
        for alias in param.aliases:
            if param.name not in known and known.get(alias) is not None:
                known[param.name] = known.pop(alias)
    return known


def _value(param: Param, value: JsonValue) -> JsonValue:
    match param.type:
        case "string":
            fits = isinstance(value, str)
        case "boolean":
            fits = isinstance(value, bool)
        case "integer":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            fits = isinstance(value, int) and not isinstance(value, bool)
    if not fits:
        raise InvalidArgs(f"params/{param.name} must be {param.type}")
    if param.minimum is not None and value < param.minimum:
        raise InvalidArgs(f"params/{param.name} must be >= {param.minimum}")
    return value
