"""Tests wait for what they wait for, and run the product as it is."""

import ast
from pathlib import Path

import house

TESTS = house.ROOT / "tests"
PATCHES = {"unittest.mock", "mock", "pytest_mock"}


def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text())) for path in sorted(TESTS.rglob("*.py"))]


def test_no_test_sleeps():
    """`sleep(0)` gives other tasks their turn; a clock of the test's own may sleep."""
    wrong = [
        f"{path.relative_to(house.ROOT)}:{node.lineno}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sleep"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("time", "asyncio")
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value != 0
    ]
    assert wrong == []


def test_no_test_puts_something_else_in_the_place_of_our_code():
    wrong = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                if names & PATCHES:
                    wrong.append(f"{path.relative_to(house.ROOT)}:{node.lineno}: mock")
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("setattr", "setitem")
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in ("monkeypatch", "patch")
            ):
                wrong.append(f"{path.relative_to(house.ROOT)}:{node.lineno}: {node.func.attr}")
    assert wrong == []


def test_every_skip_says_why():
    wrong = [
        f"{path.relative_to(house.ROOT)}:{node.lineno}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("skip", "skipif", "xfail")
        and not any(isinstance(arg, ast.Constant | ast.JoinedStr) for arg in node.args)
        and not any(keyword.arg == "reason" for keyword in node.keywords)
    ]
    assert wrong == []
