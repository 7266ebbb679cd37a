"""What a README shows can be typed in, and what a door exports says what it is."""

import ast
import re
from importlib import import_module
from pathlib import Path
from types import FunctionType

import house
import pytest

READMES = [*house.ROOT.glob("*.md"), *house.SOURCE.rglob("*.md"), *house.ROOT.glob("docs/**/*.md")]
SNIPPETS = [
    (path.relative_to(house.ROOT), found)
    for path in sorted(READMES)
    for found in re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)
]


@pytest.mark.parametrize(("path", "code"), SNIPPETS, ids=[str(path) for path, _ in SNIPPETS])
def test_a_snippet_imports_what_exists(path: Path, code: str):
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    for node in ast.walk(compile(code, str(path), "exec", flags)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gemini_cli"):
            door = import_module(str(node.module))
            assert [a.name for a in node.names if not hasattr(door, a.name)] == []


@pytest.mark.parametrize("path", sorted(READMES), ids=str)
def test_a_link_leads_somewhere(path: Path):
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("room", sorted(house.table()["floors"]))
def test_what_a_door_exports_is_documented(room: str):
    if not house.is_module(room) or room.endswith("__main__"):
        return
    door = import_module(room)
    exported = {name: getattr(door, name) for name in getattr(door, "__all__", ())}
    kinds = (type, FunctionType)  # an alias of a type can carry no words of its own
    assert [n for n, it in exported.items() if isinstance(it, kinds) and not it.__doc__] == []
