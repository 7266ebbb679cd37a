"""Turns merged, checked JSON into the typed tables. What is absent or null is the default.

It trusts that `validate` has been over every value, so it converts and never complains.
"""

from typing import Any, TypeVar, get_args

from gemini_cli.ground.config.tables.setting import Table, arms, fields, origin_of
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

T = TypeVar("T", bound=Table)


def build(table: type[T], data: JsonObject) -> T:
    """`table` with the values of `data`; unknown keys are passed over."""
    known = fields(table)
    values: dict[str, Any] = {}
    for key, value in data.items():
        field = known.get(key)
        if field is not None and value is not None:
            values[field.attr] = _typed(field.hint, value)
    return table(**values)


def _typed(hint: object, value: JsonValue) -> object:
    for arm in arms(hint):
        if isinstance(value, dict):
            if isinstance(arm, type) and issubclass(arm, Table):
                return build(arm, value)
            if origin_of(arm) is dict:
                inner = get_args(arm)[1]
                return {
                    k: _typed(inner, v) for k, v in value.items() if v is not None or inner is Any
                }
        elif isinstance(value, list) and origin_of(arm) is tuple:
            inner = get_args(arm)[0]
            return tuple(_typed(inner, v) for v in value)
    return value
