"""Every setting has the type, default and marks it is documented with."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gemini_cli.ground.config import Row, Settings, all_rows, json_schema
from gemini_cli.ground.config.tables import McpServer
from gemini_cli.ground.config.tables.setting import Table, rows

CORPUS = json.loads((Path(__file__).parents[2] / "corpora" / "settings_keys.json").read_text())
TABLES = {row.key: row for row in all_rows()}


def plain(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("row", CORPUS["settings"], ids=lambda row: row[0])
def test_a_setting_is_as_documented(row: list[Any]):
    key, kind, default, restart, shown, *choices = row
    found = TABLES[key]
    assert (found.kind, plain(found.default)) == (kind, default)
    assert (found.setting.restart, found.setting.shown) == (restart, shown)
    assert list(found.choices) == (choices[0] if choices else [])


def test_no_setting_exists_that_is_not_documented():
    assert set(TABLES) == {row[0] for row in CORPUS["settings"]}


@pytest.mark.parametrize("row", CORPUS["mcpServer"], ids=lambda row: row[0])
def test_a_key_of_a_server_is_as_documented(row: list[Any]):
    key, kind, *choices = row
    found = {r.key: r for r in rows(McpServer)}
    if key == "oauth":
        assert any(k.startswith("oauth") for k in found)
    else:
        assert found[key].kind == kind
        assert list(found[key].choices) == (choices[0] if choices else [])


def test_merge_rules_are_as_documented():
    rules: dict[str, list[str]] = {}
    for row in TABLES.values():
        rules.setdefault(str(row.setting.merge), []).append(row.key)
    rules.pop("replace")
    hooks = {key for key in rules["concat"] if key.startswith("hooks.")}
    assert len(hooks) == 11
    rules["concat"] = [key for key in rules["concat"] if key not in hooks]
    assert {name: set(keys) for name, keys in rules.items()} == {
        name: set(keys) for name, keys in CORPUS["merge"].items()
    }


def test_every_setting_has_one_line_of_help():
    def bad(row: Row) -> bool:
        text = row.setting.help
        return not text.endswith(".") or "\n" in text or len(text) > 90

    assert [row.key for row in TABLES.values() if bad(row)] == []


def test_defaults_stand_in_the_typed_settings():
    settings = Settings()
    assert settings.general.max_attempts == 10
    assert settings.security.folder_trust.enabled
    assert settings.advanced.excluded_env_vars == ("DEBUG", "DEBUG_MODE")
    with pytest.raises(AttributeError):
        settings.general.max_attempts = 3  # type: ignore[misc]


def test_the_schema_covers_every_setting_that_files_may_hold():
    found = json.loads(msgspec.json.encode(json_schema()))
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for row in TABLES.values():
        if row.setting.remote_only:
            continue
        node = found
        for name in row.key.split("."):
            if "$ref" in node:
                node = found["$defs"][node["$ref"].rsplit("/", 1)[1]]
            node = node["properties"][name]
        assert node["description"] == row.setting.help
    assert "admin" not in found["properties"]
    assert found["$defs"]["McpServer"]["additionalProperties"] is False
    assert "additionalProperties" not in found["$defs"]["General"]


def test_the_schema_has_one_definition_for_each_table():
    names = [cls.__name__ for cls in _tables()]
    assert len(names) == len(set(names))


def _tables() -> list[type]:
    found: list[type] = []
    todo: list[type] = [Table]
    while todo:
        for cls in todo.pop().__subclasses__():
            found.append(cls)
            todo.append(cls)
    return found
