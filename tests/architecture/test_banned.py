"""Nobody reads the environment, prints, or imports by the back door, however it is spelt."""

import ast
import re

import house
import pytest

COMMAND_LINES = (
    "gemini_cli.cli",
    "gemini_cli.sdk.testing.server",
    "gemini_cli.sdk.testing.demo",
)
LAZY = (
    "gemini_cli.ground.config",
    "gemini_cli.transcripts",
    "gemini_cli.transcripts.archive",
    "gemini_cli.transcripts.export",
    "gemini_cli.transcripts.launch",
    "gemini_cli.transcripts.launch.reducers",
    "gemini_cli.transcripts.lines",
    "gemini_cli.transcripts.registry",
)
"""Doors that load each name when it is asked for. This list may only shrink."""

BANNED: dict[str, tuple[str, tuple[str, ...]]] = {
    "environment": (
        r"(os|posix|nt)\.(\*|environb?|getenvb?|getcwdb?|putenv|unsetenv|chdir|get_exec_path)"
        r"|pathlib\.\w*Path(\(\))?\.(home|cwd)"
        r"|.*\.(expanduser|expandvars|absolute)|os\.path\.abspath"
        r"|getpass\.getuser|webbrowser\..*|shutil\.get_terminal_size|urllib\.request\.getproxies.*",
        ("gemini_cli.ground.config.env", "gemini_cli.cli.main"),
    ),
    "printing": (r"(builtins\.)?print|sys\.(__)?std(out|err)(__)?", COMMAND_LINES),
    "imports while running": (
        r"(builtins\.)?(__import__|exec|eval)|importlib\.(import_module|__import__|util\..*)"
        r"|(runpy|pkgutil)\..*",
        LAZY,
    ),
}
"""What is banned, by its full name, and the modules (with their own, but for the lazy) that may."""


def at_home(module: str, what: str) -> bool:
    homes = BANNED[what][1]
    return module in homes or (homes is not LAZY and any(house.inside(module, h) for h in homes))


@pytest.mark.parametrize("what", BANNED)
def test_only_its_home_uses(what: str):
    pattern = re.compile(BANNED[what][0])
    wrong = [
        f"{house.at(path, line)}: {name}"
        for path in house.files()
        if not at_home(house.module_name(path), what)
        for line, name in house.uses(path)
        if pattern.fullmatch(name)
    ]
    assert wrong == []


@pytest.mark.parametrize("home", sorted({home for _, homes in BANNED.values() for home in homes}))
def test_no_exception_outlives_its_reason(home: str):
    mine = [path for path in house.files() if house.inside(house.module_name(path), home)]
    assert mine
    patterns = [pattern for pattern, homes in BANNED.values() if home in homes]
    assert any(re.fullmatch(p, name) for p in patterns for f in mine for _, name in house.uses(f))


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.environ['HOME']",
        "import os as o; o.environ['HOME']",
        "import os; getattr(os, 'environ')",
        "import os; vars(os)['environ']",
        "import posix; posix.environ",
        "from os import environ",
        "from os import *",
        "from os.path import expanduser",
        "import os; os.path.expandvars('$HOME')",
        "import os; os.chdir('/')",
        "from pathlib import Path; Path('~/x').expanduser()",
        "from pathlib import Path; Path.cwd()",
        "from pathlib import Path as P; P.home()",
        "from pathlib import PosixPath; PosixPath.cwd()",
        "from pathlib import Path; Path('x').absolute()",
        "path.parent.absolute()",
        "from os.path import abspath",
        "import os; os.path.abspath('x')",
        "import pathlib; pathlib.Path.home()",
        "print('x')",
        "show = print",
        "import builtins; builtins.print('x')",
        "import sys; sys.stdout.write('x')",
        "from sys import stderr",
        "__import__('json')",
        "import importlib; importlib.import_module('json')",
        "from importlib import import_module as load; load('json')",
        "exec('import json')",
    ],
)
def test_no_spelling_goes_unseen(code: str):
    found = [name for _, name in house.names(ast.parse(code))]
    assert any(re.fullmatch(pattern, name) for pattern, _ in BANNED.values() for name in found)


def programs_without_a_path(tree: ast.Module) -> list[int]:
    """Searches that take `PATH` from the process instead of being handed it."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("shutil.which", "which")
        and not any(keyword.arg == "path" for keyword in node.keywords)
    ]


def test_programs_are_looked_for_in_the_path_that_was_handed_in():
    wrong = [
        house.at(path, line)
        for path in house.files()
        for line in programs_without_a_path(house.tree(path))
    ]
    assert wrong == []
