"""What must hold for any settings a person could write."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gemini_cli.ground.config import Settings, all_rows
from gemini_cli.ground.config.build import build
from gemini_cli.ground.config.interpolate import fill
from gemini_cli.ground.config.legacy import FLAT, INVERTED, modern
from gemini_cli.ground.config.merge import merge
from gemini_cli.ground.config.migrate import renamed
from gemini_cli.ground.config.validate import check
from gemini_cli.protocol.jsonvalue import JsonObject

KEYS = [row.key for row in all_rows()]
OLD = [*FLAT, *INVERTED, "model", "theme", "mcpServers", "apiKey", "autoApproveTools", "x.y"]

leaves: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "true", "7", "1e9", "auto", "$A", "${B:-c}", "ANSI", "text", "nan"])
)
values = st.recursive(
    leaves,
    lambda v: (
        st.lists(v, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "name", "enabled", "__proto__", "hooks"]), v)
    ),
    max_leaves=5,
)


def nested(pairs: list[tuple[str, Any]]) -> JsonObject:
    made: JsonObject = {}
    for key, value in pairs:
        *way, last = key.split(".")
        target = made
        for name in way:
            inner = target.setdefault(name, {})
            if not isinstance(inner, dict):
                inner = target[name] = {}
            target = inner
        target[last] = value
    return made


files = st.lists(st.tuples(st.sampled_from(KEYS + OLD), values), max_size=6).map(nested)


def usable(raw: JsonObject) -> JsonObject:
    return check(Settings, fill(renamed(modern(raw).values).values, {"A": "1"}))[0]


@settings(max_examples=120, deadline=None)
@given(files)
def test_any_object_gives_settings_and_checked_values_need_no_second_check(raw: JsonObject):
    before = copy.deepcopy(raw)
    kept = usable(raw)
    assert raw == before
    again, problems = check(Settings, kept)
    assert again == kept
    assert {p.reason.split(";")[0] for p in problems} <= {"unknown key"}
    build(Settings, merge([kept]))


@settings(max_examples=80, deadline=None)
@given(files, files)
def test_merging_changes_no_layer_and_an_empty_one_adds_nothing(one: JsonObject, two: JsonObject):
    first, second = usable(one), usable(two)
    before = json.dumps([first, second])
    merged = merge([first, second])
    assert json.dumps([first, second]) == before
    assert merge([{}, first, {}, second, {}]) == merged
    empty(merged)
    assert json.dumps([first, second]) == before


def empty(value: Any) -> None:
    """Takes everything out of what may be shared."""
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            empty(inner)
    value.clear()


@settings(max_examples=80, deadline=None)
@given(files, st.sampled_from(KEYS), st.booleans())
def test_the_strongest_layer_decides_a_plain_switch(raw: JsonObject, key: str, value: bool):
    rows = {row.key: row for row in all_rows()}
    if rows[key].kind != "bool":
        return
    found: Any = merge([usable(raw), nested([(key, value)])])
    for name in key.split("."):
        found = found[name]
    assert found is value


@settings(deadline=None)
@given(files)
def test_renaming_twice_is_renaming_once(raw: JsonObject):
    once = renamed(raw)
    assert renamed(once.values).values == once.values
    assert renamed(once.values).old_keys == ()
