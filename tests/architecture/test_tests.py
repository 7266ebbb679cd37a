"""Tests wait for what they wait for, can fail, and run the product as it is."""

import ast
from collections.abc import Iterator

import house
import pytest

TESTS = sorted((house.ROOT / "tests").rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def wrong(rule: str) -> list[str]:
    return [house.at(path, line) for path in TESTS for line in RULES[rule](house.tree(path))]


def calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Each call with the full name of what is called."""
    known = house.imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, house.full_name(node.func, known)


def naps(tree: ast.Module) -> Iterator[int]:
    """`sleep(0)` gives other tasks their turn; a clock of the test's own may sleep."""
    for call, name in calls(tree):
        if name not in ("time.sleep", "asyncio.sleep"):
            continue
        within_a_clock = any(
            isinstance(node, Function) and node.name == "sleep" and call in ast.walk(node)
            for node in ast.walk(tree)
        )
        length = call.args[0] if call.args else None
        if not within_a_clock and not (isinstance(length, ast.Constant) and length.value == 0):
            yield call.lineno
    known = house.imported(tree)
    for call, _ in calls(tree):
        handed_on = [house.full_name(arg, known) for arg in call.args]
        if {"time.sleep", "asyncio.sleep"} & set(handed_on):
            yield call.lineno


def replacements(tree: ast.Module) -> Iterator[int]:
    """Something else in the place of our code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            if names & {"unittest.mock", "mock", "pytest_mock"}:
                yield node.lineno
    ours = {name for name, full in house.imported(tree).items() if house.is_module(full)}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        yield from (
            node.lineno
            for target in targets
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) in ours
        )
    for call, name in calls(tree):
        if name.rpartition(".")[2] in ("setattr", "setitem", "delattr") and name != "object":
            yield call.lineno


def silent_skips(tree: ast.Module) -> Iterator[int]:
    """Skipped and nobody knows why."""
    for node in ast.walk(tree):
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if name.endswith(("mark.skip", "mark.skipif", "mark.xfail", "unittest.skip")):
            reasons = [call for call in ast.walk(tree) if getattr(call, "func", None) is node]
            if not reasons or not any(says_why(call) for call in reasons):
                yield node.lineno
    for call, name in calls(tree):
        if name in ("pytest.skip", "pytest.xfail") and not says_why(call):
            yield call.lineno


def says_why(call: ast.Call) -> bool:
    said = [*(kw.value for kw in call.keywords if kw.arg == "reason"), *call.args]
    return any(
        isinstance(text, ast.JoinedStr | ast.Name)
        or (isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.strip())
        for text in said
    )


def empty_tests(tree: ast.Module) -> Iterator[int]:
    """Tests that could only fail by an exception nobody speaks of."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    for name, function in functions.items():
        if name.startswith("test_") and not looks(function, functions, {name}):
            yield function.lineno


def looks(function: Function, others: dict[str, Function], seen: set[str]) -> bool:
    """Whether it asserts something, or calls what does: a suite, or a function of this file."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func).rpartition(".")[2]
        if called in ("raises", "fail", "warns") or called.startswith(("check", "assert")):
            return True
        if called in others and called not in seen:
            seen.add(called)
            if looks(others[called], others, seen):
                return True
    return False


def foregone(tree: ast.Module) -> Iterator[int]:
    """Assertions about a constant."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant | ast.Tuple):
            yield node.lineno


def swallowed(tree: ast.Module) -> Iterator[int]:
    """A failed assertion that is caught again."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(isinstance(n, ast.Assert) for n in node.body):
            kinds = [ast.unparse(h.type) if h.type else "" for h in node.handlers]
            if {"", "AssertionError", "Exception", "BaseException"} & set(kinds):
                yield node.lineno


RULES = {
    "no test sleeps": naps,
    "no test puts something else in the place of our code": replacements,
    "every skip says why": silent_skips,
    "every test can fail": empty_tests,
    "no assertion is about a constant": foregone,
    "no test catches its own failure": swallowed,
}


@pytest.mark.parametrize("rule", RULES)
def test_every_test_keeps_the_rule(rule: str):
    assert wrong(rule) == []


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("no test sleeps", "import time\ntime.sleep(1)"),
        ("no test sleeps", "from time import sleep\nsleep(PAUSE)"),
        ("no test sleeps", "import asyncio as a\nasync def test_a():\n    await a.sleep(0.1)"),
        ("no test sleeps", "import time\nstart_thread(time.sleep, 1)"),
        ("no test puts something else in the place of our code", "from unittest import mock"),
        ("no test puts something else in the place of our code", "import unittest.mock"),
        ("no test puts something else in the place of our code", "m.setattr('a.b', None)"),
        (
            "no test puts something else in the place of our code",
            "from gemini_cli.app import mode\nmode.start_mode = None",
        ),
        ("every skip says why", "import pytest\npytest.skip()"),
        ("every skip says why", "import pytest\npytest.skip('')"),
        ("every skip says why", "import pytest\n@pytest.mark.skip\ndef test_a(): ..."),
        ("every skip says why", "import pytest\n@pytest.mark.skipif(True)\ndef test_a(): ..."),
        ("every skip says why", "import unittest\n@unittest.skip\ndef test_a(): ..."),
        ("every test can fail", "def test_a():\n    int('1')"),
        ("no assertion is about a constant", "assert True"),
        ("no assertion is about a constant", "assert (1 == 2, 'x')"),
        (
            "no test catches its own failure",
            "try:\n    assert 0 == x\nexcept AssertionError:\n    pass",
        ),
    ],
)
def test_no_spelling_goes_unseen(rule: str, code: str):
    assert list(RULES[rule](ast.parse(code)))
