"""Imports point downwards, stand at the top, go through doors, and stay behind their walls."""

import ast
import sys

import house
import pytest
from house import inside

FLOORS = house.table()["floors"]
ONLY = house.table()["floors-only"]
WALLS = house.table()["walls"]
HOUSE = "gemini_cli"


def between(found: house.Import) -> bool:
    """Whether this import leaves its room for another one."""
    return inside(found.target, HOUSE) and house.room_of(found.module) != house.room_of(
        found.target
    )


def every_import() -> list[house.Import]:
    return [found for path in house.files() for found in house.imports(path)]


def test_every_module_stands_on_a_floor():
    """What lies above the rooms is empty: the house itself and the folders rooms stand in."""
    folders = {room.rpartition(".")[0] for room in FLOORS} - {""}
    modules = {house.module_name(path) for path in house.files()}
    assert {m for m in modules if house.room_of(m) == HOUSE} - folders == set()


def test_every_folder_is_a_package():
    folders = {path.parent for path in house.files()}
    bare = [str(f.relative_to(house.ROOT)) for f in folders if not (f / "__init__.py").is_file()]
    assert bare == []


def test_imports_point_downwards():
    wrong = []
    for found in filter(between, every_import()):
        mine, theirs = house.room_of(found.module), house.room_of(found.target)
        if FLOORS[mine] <= FLOORS[theirs]:
            wrong.append(str(found))
        allowed = ONLY.get(mine)
        if allowed and theirs not in (*allowed, HOUSE):
            wrong.append(f"{found} (only {allowed} allowed)")
    assert wrong == []


def test_a_room_is_imported_by_its_own_name():
    """`from gemini_cli import engine` would reach every room of the engine unseen."""
    wrong = [
        str(found)
        for found in every_import()
        if inside(found.target, HOUSE)
        and found.target != HOUSE
        and house.room_of(found.target) == HOUSE
    ]
    assert wrong == []


def test_nobody_goes_round_the_door_of_an_engine_room():
    """The rooms of `ground`, `protocol` and the faces are entered by module: see their doors."""
    wrong = [
        str(found)
        for found in filter(between, every_import())
        if found.target.startswith(("gemini_cli.engine.", "gemini_cli.extend."))
        and found.target != house.room_of(found.target)
    ]
    assert wrong == []


def test_no_relative_imports():
    assert [str(found) for found in every_import() if found.target[0] == "."] == []


@pytest.mark.parametrize("package", sorted(WALLS))
def test_third_party_stays_behind_its_wall(package: str):
    wrong = [
        str(found)
        for found in every_import()
        if inside(found.target, package)
        and not any(inside(found.module, home) for home in WALLS[package])
    ]
    assert wrong == []


def test_every_third_party_package_has_a_wall():
    known = {HOUSE, *sys.stdlib_module_names, *(name.partition(".")[0] for name in WALLS)}
    wrong = [str(found) for found in every_import() if found.target.partition(".")[0] not in known]
    assert wrong == []


DOORS = (
    "gemini_cli.app.doors",
    "gemini_cli.cli.main",
    "gemini_cli.ground.net.adc",
    "gemini_cli.ground.host.keychain",
    "gemini_cli.engine.telemetry.otel",
    "gemini_cli.faces.a2a",
)


def at_the_top(module: ast.Module) -> list[ast.stmt]:
    """Statements of the module itself, and those only one platform or the type checker sees."""
    found: list[ast.stmt] = []
    for node in module.body:
        found.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test).startswith(
            ("sys.platform ", "sys.version_info ", "TYPE_CHECKING")
        ):
            found += [*node.body, *node.orelse]
    return found


def test_imports_stand_at_the_top_but_for_the_doors():
    wrong = []
    for path in house.files():
        if any(inside(house.module_name(path), door) for door in DOORS):
            continue
        top = at_the_top(house.tree(path))
        wrong += [
            f"{house.at(path, node.lineno)}: {ast.unparse(node)}"
            for node in ast.walk(house.tree(path))
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in top
        ]
    assert wrong == []
