"""Reads the house table from pyproject.toml and the product's imports from the source."""

import ast
import tomllib
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


@cache
def room_of(module: str) -> str:
    """The longest entry of the floor table that holds this module."""
    rooms = [r for r in table()["floors"] if module == r or module.startswith(r + ".")]
    return max(rooms, key=len)
