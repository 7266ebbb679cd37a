"""Reads the house table from pyproject.toml and the product's imports from the source."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    module: str
    target: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.module} imports {self.target}"


@cache
def table() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]


@cache
def files() -> list[Path]:
    return sorted((SOURCE / "gemini_cli").rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> list[Import]:
    """Every import of the file, those inside functions and under TYPE_CHECKING too."""
    found: list[Import] = []
    module = module_name(path)
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [Import(path, node.lineno, module, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ("." * node.level) + (node.module or "")
            for alias in node.names:
                full = f"{base}.{alias.name}"
                target = full if is_module(full) else base
                found.append(Import(path, node.lineno, module, target))
    return found


@cache
def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def inside(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


@cache
def uses(path: Path) -> list[tuple[int, str]]:
    return list(names(tree(path)))


def names(code: ast.Module) -> Iterator[tuple[int, str]]:
    """Each name the code uses, under the name it has at home, whatever it is called here.

    After `from pathlib import Path as P`, `P.cwd` is `pathlib.Path.cwd`. The result of a call is
    written with brackets: `Path("~").expanduser` is `pathlib.Path().expanduser`.
    """
    known = imported(code)
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    for node in ast.walk(code):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.lineno, full_name(node, known)
        elif isinstance(node, ast.Call) and full_name(node.func, known) in ("getattr", "vars"):
            rest = [full_name(arg, known) for arg in node.args]
            yield node.lineno, ".".join(rest) if len(rest) > 1 else f"{rest[0]}.*"


def imported(code: ast.Module) -> dict[str, str]:
    """What the names that were imported stand for."""
    known: dict[str, str] = {}
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            known |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return known


def full_name(node: ast.expr, known: dict[str, str]) -> str:
    match node:
        case ast.Name():
            return known.get(node.id, node.id)
        case ast.Attribute():
            return f"{full_name(node.value, known)}.{node.attr}"
        case ast.Call():
            return full_name(node.func, known) + "()"
        case ast.Constant(value=str()):
            return node.value
        case _:
            return "?"


@cache
def room_of(module: str) -> str:
    """The longest entry of the floor table that holds this module."""
    rooms = [r for r in table()["floors"] if module == r or module.startswith(r + ".")]
    return max(rooms, key=len)
