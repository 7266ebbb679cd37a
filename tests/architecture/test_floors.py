"""Imports point downwards, walls stand, and nobody reads the environment by the back door."""

import ast

import house
import pytest

FLOORS = house.table()["floors"]
ONLY = house.table()["floors-only"]
WALLS = house.table()["walls"]

BANNED = {
    "environ": ("gemini_cli.ground.config.env", "gemini_cli.cli.main"),
    "getenv": ("gemini_cli.ground.config.env", "gemini_cli.cli.main"),
    "home": ("gemini_cli.ground.config.env", "gemini_cli.cli.main"),
    "cwd": ("gemini_cli.ground.config.env", "gemini_cli.cli.main"),
}


def inside(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def test_every_module_stands_on_a_floor():
    homeless = [
        house.module_name(path)
        for path in house.files()
        if house.room_of(house.module_name(path)) == "gemini_cli"
        and house.module_name(path).count(".") > 1
    ]
    assert homeless == []


def test_imports_point_downwards():
    wrong = []
    for path in house.files():
        for found in house.imports(path):
            if not inside(found.target, "gemini_cli"):
                continue
            mine, theirs = house.room_of(found.module), house.room_of(found.target)
            if mine != theirs and FLOORS[mine] <= FLOORS[theirs]:
                wrong.append(str(found))
            allowed = ONLY.get(mine)
            if allowed and mine != theirs and theirs not in allowed and theirs != "gemini_cli":
                wrong.append(f"{found} (only {allowed} allowed)")
    assert wrong == []


def test_no_relative_imports():
    assert [str(i) for p in house.files() for i in house.imports(p) if i.target[0] == "."] == []


@pytest.mark.parametrize("package", sorted(WALLS))
def test_third_party_stays_behind_its_wall(package: str):
    wrong = [
        str(found)
        for path in house.files()
        for found in house.imports(path)
        if inside(found.target, package)
        and not any(inside(found.module, home) for home in WALLS[package])
    ]
    assert wrong == []


def test_the_environment_is_read_in_one_place():
    wrong = []
    for path in house.files():
        module = house.module_name(path)
        for node in ast.walk(house.tree(path)):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            owner, name = node.value.id, node.attr
            if (owner, name) in {
                ("os", "environ"),
                ("os", "getenv"),
                ("Path", "home"),
                ("Path", "cwd"),
            } and module not in BANNED[name]:
                wrong.append(f"{path.relative_to(house.ROOT)}:{node.lineno}: {owner}.{name}")
    assert wrong == []


DOORS = (
    "gemini_cli.app.doors",
    "gemini_cli.cli.main",
    "gemini_cli.ground.net.adc",
    "gemini_cli.ground.host.keychain",
    "gemini_cli.engine.telemetry.otel",
    "gemini_cli.faces.a2a",
)


def test_imports_stand_at_the_top_but_for_the_doors():
    wrong = [
        f"{path.relative_to(house.ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in house.files()
        if not any(inside(house.module_name(path), door) for door in DOORS)
        for function in ast.walk(house.tree(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert wrong == []


PRINTERS = ("gemini_cli.faces.headless", "gemini_cli.cli")


def test_only_the_command_line_prints():
    wrong = [
        f"{path.relative_to(house.ROOT)}:{node.lineno}"
        for path in house.files()
        if not any(inside(house.module_name(path), home) for home in PRINTERS)
        for node in ast.walk(house.tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert wrong == []
