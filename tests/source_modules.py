"""The modules of `oryn` as the tests of its structure read them: parsed, with what each imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parent.parent
SOURCE = PROJECT / "src"


def modules(part: str) -> Iterator[tuple[str, Path]]:
    base = SOURCE.joinpath(*part.split("."))
    for file in [base.with_suffix(".py")] if base.with_suffix(".py").is_file() else sorted(base.rglob("*.py")):
        yield ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"), file


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def imports(file: Path) -> Iterator[str]:
    """The full name of everything that a module imports, wherever in it."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, *parts: str) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


@cache
def graph() -> dict[str, set[str]]:
    """Each module of `oryn`, and the other ones that it imports. (Python also runs the packages above an imported
    module; they count only if they are named.)"""
    files = dict(modules("oryn"))

    def module_of(name: str) -> str:
        while name not in files:
            name = name.rpartition(".")[0]
        return name

    return {
        module: {module_of(name) for name in imports(file) if within(name, "oryn")} - {module, "oryn"}
        for module, file in files.items()
    }
