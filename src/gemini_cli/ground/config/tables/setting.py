"""What a settings table is: Structs whose fields carry default, merge rule and help.

A table is only looked into for the keys that a file really has, so that hundreds of
settings cost nothing at start-up. Tables hold no values of their own and read no files.
"""

from collections.abc import Iterator
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct

from gemini_cli.protocol.jsonvalue import JsonValue


class Merge(StrEnum):
    """How a later layer's value meets an earlier one."""

    REPLACE = "replace"
    """Objects merge key by key; anything else takes the place of what was there."""
    SHALLOW = "shallow"
    """Entries are replaced whole."""
    CONCAT = "concat"
    UNION = "union"
    """Joined in order, without repeats."""
    INTERSECT = "intersect"
    """Only what every layer that speaks allows."""


class Setting(Struct, frozen=True):
    """What people are told about one key, and how it behaves."""

    help: str
    shown: bool = False
    """Listed in `/settings`."""
    restart: bool = False
    """Takes effect at the next start."""
    merge: Merge = Merge.REPLACE
    entries: tuple[str, ...] = ()
    """Names an open object is known to have; each is merged by `merge`."""
    words: tuple[str, ...] = ()
    """The only values of a string that means something, where it is no enum."""
    user_only: bool = False
    """Counts in the user's own file only."""
    remote_only: bool = False
    """Never read from a file."""
    deprecated: str = ""
    """What to use instead."""


class Table(Struct, frozen=True, rename="camel"):
    """Base of every table. Attributes are snake_case, keys in files camelCase."""


class ClosedTable(Table, frozen=True, forbid_unknown_fields=True):
    """A table that reports keys it does not know; other tables keep them without a word."""


class Field(Struct, frozen=True):
    """One field of a table, as the checks and merges need it."""

    key: str
    attr: str
    hint: object
    setting: Setting | None
    default: JsonValue

    @property
    def table(self) -> type[Table] | None:
        """The nested table, where this field is one."""
        return self.hint if isinstance(self.hint, type) and issubclass(self.hint, Table) else None


class Row(Struct, frozen=True):
    """One setting with its full key, for `/settings`, the JSON Schema and the reference."""

    key: str
    hint: object
    setting: Setting
    default: JsonValue

    @property
    def kind(self) -> str:
        """`bool`, `number`, `string`, `enum`, `list`, `object`, or several joined by `|`."""
        return "|".join(dict.fromkeys(_kinds(self.hint)))

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of an enum."""
        for arm in arms(self.hint):
            if origin_of(arm) is Literal:
                return get_args(arm)
        return ()


_FIELDS: dict[type[Table], dict[str, Field]] = {}


def fields(table: type[Table]) -> dict[str, Field]:
    """The fields of `table` by their key in files. Looked up once for each table."""
    known = _FIELDS.get(table)
    if known is None:
        known = _FIELDS[table] = _read(table)
    return known


def _read(table: type[Table]) -> dict[str, Field]:
    blank = table()
    found: dict[str, Field] = {}
    for attr, key in zip(table.__struct_fields__, table.__struct_encode_fields__, strict=True):
        hint: Any = table.__annotations__[attr]
        setting: Setting | None = None
        if origin_of(hint) is Annotated:
            setting = next((m for m in hint.__metadata__ if isinstance(m, Setting)), None)
            hint = hint.__origin__
        found[key] = Field(key, attr, hint, setting, getattr(blank, attr))
    return found


def closed(table: type[Table]) -> bool:
    """True where an unknown key is worth a warning."""
    return table.__struct_config__.forbid_unknown_fields


def arms(hint: object) -> tuple[object, ...]:
    """The alternatives of a union; the type itself where it is none. None is left out."""
    if origin_of(hint) in (Union, UnionType):
        return tuple(arm for arm in get_args(hint) if arm is not type(None))
    return (hint,)


def value_at(table: Table, key: str) -> object:
    """What `table` holds at the dotted `key`. Raises KeyError where there is no such setting."""
    found: object = table
    for name in key.split("."):
        if isinstance(found, Table):
            found = getattr(found, fields(type(found))[name].attr)
        elif isinstance(found, dict):
            found = found.get(name)
        else:
            raise KeyError(key)
    return found


def origin_of(hint: object) -> object:
    """`typing.get_origin`, for hints we only know as objects."""
    return get_origin(hint)


def rows(table: type[Table], prefix: str = "") -> Iterator[Row]:
    """Every setting below `table`, in order. Entries of open objects count as settings."""
    for field in fields(table).values():
        key = f"{prefix}{field.key}"
        if field.setting is not None and field.setting.entries:
            inner = get_args(field.hint)[1]
            for entry in field.setting.entries:
                yield Row(f"{key}.{entry}", inner, field.setting, ())
        elif field.setting is not None:
            yield Row(key, field.hint, field.setting, field.default)
        elif field.table is not None:
            yield from rows(field.table, f"{key}.")


def _kinds(hint: object) -> Iterator[str]:
    simple = {bool: "bool", int: "number", float: "number", str: "string"}
    for arm in arms(hint):
        origin = origin_of(arm)
        if isinstance(arm, type) and arm in simple:
            yield simple[arm]
        elif origin is Literal:
            yield "enum"
        elif origin is tuple:
            yield "list"
        else:
            yield "object"
