"""Imports run one way, from the screen to the shapes, and only the screen prints."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "sesskit"
ROOMS = ("schemas", "records", "logs", "artifacts", "cli")  # each may import those before it
MODULES = sorted(p for room in ROOMS for p in (SOURCE / room).rglob("*.py"))
HEAVY = {
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    "jsonschema": {"cli", "schemas"},
}


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module that is imported anywhere, in functions too, with the line of the import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            yield node.module or "", node.lineno
        elif isinstance(node, ast.Constant) and str(node.value).startswith("sesskit."):
            yield str(node.value).partition(":")[0], node.lineno  # a name loaded when used


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "sesskit" and parts[1] in ROOMS else None


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_run_one_way(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0]
    permitted = ROOMS[: ROOMS.index(room) + 1]
    for module, line in imported(ast.parse(path.read_text())):
        other = room_of(module)
        assert other is None or other in permitted, f"{path}:{line} imports {module}"
        package = module.split(".")[0]
        assert room in HEAVY.get(package, {room}), f"{path}:{line} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in MODULES if "cli" not in p.parts], ids=lambda p: str(p.relative_to(SOURCE))
)
def test_only_the_screen_prints_and_exits(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "exit", "quit", "input"}, f"{path}:{node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            assert name not in {"sys.exit", "sys.argv", "sys.stdout"}, f"{path}:{node.lineno}"


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_it_holds(room: str) -> None:
    assert ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text()))
