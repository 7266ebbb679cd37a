"""Imports point downwards, walls stand, and nobody reads the environment by the back door."""

import ast
from collections.abc import Iterator

import house
import pytest

FLOORS = house.table()["floors"]
ONLY = house.table()["floors-only"]
WALLS = house.table()["walls"]

READERS = ("gemini_cli.ground.config.env", "gemini_cli.cli.main")
BANNED = {
    "os": {"environ", "environb", "getenv", "getenvb", "getcwd", "getcwdb", "putenv"},
    "os.path": {"expanduser", "expandvars"},
    "Path": {"home", "cwd"},
}
"""What reads the environment, the home or the working directory, by the name it is found under."""


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


def read_by_the_back_door(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Uses of a banned name: `os.environ`, `from os import environ`, `path.expanduser()`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if node.attr in BANNED.get(owner, ()) or node.attr in BANNED["os.path"]:
                yield node.lineno, f"{owner}.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names} & BANNED.get(node.module or "", set())
            yield from ((node.lineno, f"from {node.module} import {name}") for name in names)


def test_the_environment_is_read_in_one_place():
    wrong = [
        f"{path.relative_to(house.ROOT)}:{line}: {what}"
        for path in house.files()
        if house.module_name(path) not in READERS
        for line, what in read_by_the_back_door(house.tree(path))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.environ['HOME']",
        "from os import environ",
        "from os.path import expanduser",
        "Path('~/x').expanduser()",
        "os.path.expandvars('$HOME')",
        "Path.cwd()",
    ],
)
def test_no_spelling_of_the_environment_goes_unseen(code: str):
    assert list(read_by_the_back_door(ast.parse(code)))


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
