"""Checks values against the tables, key by key: coerces, drops what cannot be meant, reports.

One bad key never costs another. Unknown keys stay as they are; only closed tables report
them. A report names types, never values that could be secrets.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from gemini_cli.ground.config.tables.setting import (
    Field,
    Merge,
    Table,
    arms,
    closed,
    fields,
    origin_of,
)
from gemini_cli.ground.formats.jsonc import printable
from gemini_cli.protocol.jsonvalue import JsonObject, JsonValue

FORBIDDEN = frozenset(("__proto__", "constructor", "prototype"))
_SHOWN = 5
_MOST = 1e300
YES = ("true", "yes", "on", "1")
NO = ("false", "no", "off", "0")
"""Words people write for a switch; all but the first are taken with a warning."""


class Problem(Struct, frozen=True):
    """One value that is not what its key wants."""

    path: str
    reason: str
    expected: str
    received: str

    def __str__(self) -> str:
        path = printable(self.path)
        return f"{path}: {self.reason} (expected {self.expected}, received {self.received})"


class _Unfit(Exception):
    """The value fits none of the forms; carries what was expected."""


def check(table: type[Table], data: JsonObject, path: str = "") -> tuple[JsonObject, list[Problem]]:
    """The part of `data` that can be used, and what was wrong with the rest."""
    problems: list[Problem] = []
    known = fields(table)
    kept: JsonObject = {}
    for key, value in data.items():
        if key in FORBIDDEN:
            continue
        here = f"{path}.{key}" if path else key
        field = known.get(key)
        if field is None:
            if closed(table):
                problems.append(_unknown(here, key, known if len(problems) < _SHOWN else ()))
            kept[key] = value
        elif value is None:
            kept[key] = None
        else:
            try:
                kept[key] = _convert(field.hint, _wrapped(field, value), here, problems)
                _advise(field, kept, here, problems)
            except _Unfit as unfit:
                problems.append(Problem(here, "not used", str(unfit), _name(value)))
    return kept, problems


def describe(problems: Sequence[Problem], where: str) -> str:
    """A warning with the first few problems and the number of the others."""
    lines = [f"  {problem}" for problem in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        lines.append(f"  and {len(problems) - _SHOWN} more")
    return "\n".join([f"Some settings in {where} cannot be used:", *lines])


def check_key(
    table: type[Table], path: Sequence[str], value: JsonValue
) -> tuple[JsonValue, list[Problem]]:
    """`value` as the key at `path` wants it, and what was wrong with it; for use before writing."""
    nested: JsonValue = value
    for key in reversed(path):
        nested = {key: nested}
    kept, problems = check(table, nested)
    found: JsonValue = kept
    for key in path:
        if not isinstance(found, dict) or key not in found:
            why = Problem(".".join(path), "not used", "a key that is allowed", "this one")
            return None, problems or [why]
        found = found[key]
    return found, problems


def _advise(field: Field, kept: JsonObject, path: str, problems: list[Problem]) -> None:
    """Takes out a word that a free-form key does not know."""
    words = field.setting.words if field.setting is not None else ()
    if words and kept[field.key] not in words:
        kept.pop(field.key)
        problems.append(Problem(path, "not used", "one of " + ", ".join(words), "another word"))


def _unknown(path: str, key: str, known: Iterable[str]) -> Problem:
    near = next((name for name in known if _distance(key.strip().lower(), name.lower()) < 3), None)
    reason = f"unknown key; did you mean {near}?" if near else "unknown key"
    return Problem(path, reason, "one of the known keys", _quoted(key))


def _quoted(key: str) -> str:
    """The key in quotes, so that a stray blank shows."""
    return f'"{printable(key[:60])}"'


def _distance(left: str, right: str) -> int:
    """Letters to change, add or take away to make one word the other."""
    if abs(len(left) - len(right)) > 2:
        return 3
    row = list(range(len(right) + 1))
    for number, letter in enumerate(left, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(right, 1):
            changed = before + (letter != other)
            before = row[place]
            row[place] = min(changed, before + 1, row[place - 1] + 1)
    return row[-1]


def _wrapped(field: Field, value: JsonValue) -> JsonValue:
    """A lone value for a list that several layers add to counts as a list of one."""
    merge = field.setting.merge if field.setting else Merge.REPLACE
    if merge not in (Merge.CONCAT, Merge.UNION):
        return value
    if field.setting is not None and field.setting.entries:
        if isinstance(value, dict):
            return {k: v if isinstance(v, list) else [v] for k, v in value.items()}
        return value
    return value if isinstance(value, list) else [value]


def _convert(hint: object, value: JsonValue, path: str, problems: list[Problem]) -> JsonValue:
    """`value` in the first form of `hint` that it fits. Raises _Unfit."""
    expected = []
    for arm in arms(hint):
        try:
            return _arm(arm, value, path, problems)
        except _Unfit as unfit:
            expected.append(str(unfit))
    raise _Unfit(" or ".join(dict.fromkeys(expected)))


def _arm(arm: object, value: JsonValue, path: str, problems: list[Problem]) -> JsonValue:
    if arm is Any:
        return value
    if isinstance(arm, type) and issubclass(arm, Table):
        if not isinstance(value, dict):
            raise _Unfit("an object")
        kept, found = check(arm, value, path)
        problems += found
        return kept
    origin = origin_of(arm)
    if origin is Literal:
        if value not in get_args(arm):
            raise _Unfit("one of " + ", ".join(get_args(arm)))
        return value
    if origin is tuple:
        return _list(get_args(arm)[0], value, path, problems)
    if origin is dict:
        return _mapping(get_args(arm)[1], value, path, problems)
    if arm is bool:
        return _switch(value, path, problems)
    return _scalar(arm, value)


def _list(inner: object, value: JsonValue, path: str, problems: list[Problem]) -> JsonValue:
    if isinstance(value, str) and inner is str:
        problems.append(Problem(path, "taken as a list of one", "a list", "a string"))
        return [value]
    if not isinstance(value, list):
        raise _Unfit("a list")
    kept = []
    for index, item in enumerate(value):
        here = f"{path}[{index}]"
        try:
            kept.append(_convert(inner, item, here, problems))
        except _Unfit as unfit:
            problems.append(Problem(here, "left out", str(unfit), _name(item)))
    return kept


def _mapping(inner: object, value: JsonValue, path: str, problems: list[Problem]) -> JsonValue:
    if not isinstance(value, dict):
        raise _Unfit("an object")
    kept = {}
    for key, item in value.items():
        if key in FORBIDDEN:
            continue
        here = f"{path}.{key}"
        try:
            kept[key] = _convert(inner, item, here, problems)
        except _Unfit as unfit:
            problems.append(Problem(here, "left out", str(unfit), _name(item)))
    return kept


def _switch(value: JsonValue, path: str, problems: list[Problem]) -> bool:
    """A boolean; other words for yes and no count, so that no safety switch is lost to a typo."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word not in YES and word not in NO:
        raise _Unfit("true or false")
    if word not in (YES[0], NO[0]):
        meant = YES[0] if word in YES else NO[0]
        problems.append(Problem(path, f"taken as {meant}", "true or false", _name(value)))
    return word in YES


def _scalar(kind: object, value: JsonValue) -> JsonValue:
    if kind is str:
        if isinstance(value, str):
            return value
        raise _Unfit("a string")
    number = _number(value)
    if number is None:
        raise _Unfit("a number")
    if abs(number) > _MOST:
        raise _Unfit("a number of at most 300 digits")
    if kind is int:
        if number != int(number):
            raise _Unfit("a whole number")
        return int(number)
    return number


def _number(value: JsonValue) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) < 40:
        try:
            value = float(value)
        except ValueError:
            return None
        value = int(value) if value.is_integer() else value
    return value if isinstance(value, int | float) and value == value else None


def _name(value: JsonValue) -> str:
    names = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a longer one" if abs(value) > _MOST else "a number"
    return "null" if value is None else names[type(value)]
