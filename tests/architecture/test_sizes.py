"""Files and functions stay short, modules say what they are for, rooms have a README."""

import ast
import re

import house
import pytest

LIMITS = house.table()["floors-limits"]
ROOMS_WITHOUT_README = {"gemini_cli", "gemini_cli.__main__"}


def test_files_stay_short():
    tests = (house.ROOT / "tests").rglob("*.py")
    long = {
        str(path.relative_to(house.ROOT)): len(path.read_text().splitlines())
        for path in [*house.files(), *tests]
        if len(path.read_text().splitlines()) > LIMITS["file_lines"]
        and str(path.relative_to(house.ROOT)) not in LIMITS["ratchet"]
    }
    assert long == {}


def test_the_ratchet_only_lists_files_that_need_it():
    idle = [
        name
        for name in LIMITS["ratchet"]
        if len((house.ROOT / name).read_text().splitlines()) <= LIMITS["file_lines"]
    ]
    assert idle == []


def test_functions_stay_short():
    long = {}
    for path in house.files():
        for node in ast.walk(house.tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LIMITS["function_lines"]:
                    long[f"{path.relative_to(house.ROOT)}:{node.lineno} {node.name}"] = lines
    assert long == {}


def test_each_module_says_what_it_is_for():
    silent = [
        str(path.relative_to(house.ROOT))
        for path in house.files()
        if not ast.get_docstring(house.tree(path))
    ]
    assert silent == []


ROLE = re.compile(
    r"(^|_)(utils?|helpers?|common|misc|managers?)($|_)|(Util|Helper|Manager|Service)s?$"
)


def test_nothing_is_called_after_a_role_of_code():
    """Folders, modules and classes are named after what they are about."""
    wrong = []
    for path in house.files():
        names = [*path.relative_to(house.SOURCE).with_suffix("").parts]
        names += [n.name for n in ast.walk(house.tree(path)) if isinstance(n, ast.ClassDef)]
        wrong += [f"{path.relative_to(house.ROOT)}: {name}" for name in names if ROLE.search(name)]
    assert wrong == []


@pytest.mark.parametrize("name", ["utils", "text_utils", "common", "FooManager", "PathHelper"])
def test_a_role_is_seen_in_a_name(name: str):
    assert ROLE.search(name)


def test_each_room_has_a_readme():
    rooms = {house.room_of(house.module_name(path)) for path in house.files()}
    missing = [
        room
        for room in sorted(rooms - ROOMS_WITHOUT_README)
        if not (house.SOURCE.joinpath(*room.split(".")) / "README.md").is_file()
    ]
    assert missing == []
