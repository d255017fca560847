"""What a module needs to run: the files of the package that it imports, directly or not, and the data beside them.

Read from the source, not by importing: it holds for the worker's Python, whichever runs this. Imports inside functions
count (they run later), those below `if TYPE_CHECKING` do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = "oryn"

LIBRARIES = ("axe.js", "vitals.js")
"""Scripts that only other modes load into pages."""


class Closure:
    """The modules of `oryn` below `source` (the folder that holds the package) that `entries` need."""

    def __init__(self, source: Path, *entries: str) -> None:
        self._source = source
        self.modules: dict[str, Path] = {}
        for entry in entries:
            self._add(entry)

    def files(self) -> list[Path]:
        """The files of the modules, and the data of their packages: what stands in a package's folder, or below it in
        folders that are no packages (`scanner/bundles`). Sorted."""
        found = set(self.modules.values())
        for package in {file.parent for file in found if file.name == "__init__.py"}:
            found.update(file for file in package.rglob("*") if _is_data(file) and _package(file) == package)
        return sorted(found)

    def _file(self, module: str) -> Path | None:
        base = self._source.joinpath(*module.split("."))
        for file in (base / "__init__.py", base.with_suffix(".py")):
            if file.is_file():
                return file
        return None

    def _add(self, module: str) -> None:
        file = self._file(module)
        if file is None or module in self.modules:
            return
        self.modules[module] = file
        if "." in module:
            self._add(module.rpartition(".")[0])
        for name in _imported(ast.parse(file.read_text("utf-8")).body):
            if name.endswith(".*"):
                self._add_all(name.removesuffix(".*"))
            elif name.partition(".")[0] == ROOT:
                self._add(name)
                self._add(name.rpartition(".")[0])

    def _add_all(self, package: str) -> None:
        folder = self._source.joinpath(*package.split("."))
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(self._source).with_suffix("").parts
            self._add(".".join(parts).removesuffix(".__init__"))


def _is_data(file: Path) -> bool:
    return file.is_file() and file.suffix not in (".py", ".pyc") and file.name not in ("py.typed", *LIBRARIES)


def _package(file: Path) -> Path:
    return next(folder for folder in file.parents if (folder / "__init__.py").is_file())


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    """The full names that code imports; `package.*` where one is put together as `import_module(f"package.{…}")`."""
    for node in _running(body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            yield _named(node.args[0])


def _named(argument: ast.expr) -> str:
    first = argument.values[0] if isinstance(argument, ast.JoinedStr) else argument
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        raise ValueError(f"line {argument.lineno}: no telling what is imported here")
    return first.value + "*" if isinstance(argument, ast.JoinedStr) else first.value


def _running(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of what runs: not below `if TYPE_CHECKING`, nor in a module's `__getattr__`, which imports for others
    what they name in their own imports."""
    for statement in body:
        if isinstance(statement, ast.If) and getattr(statement.test, "id", "") == "TYPE_CHECKING":
            yield from _running(statement.orelse)
        elif isinstance(statement, ast.FunctionDef) and statement.name == "__getattr__":
            continue
        else:
            yield from ast.walk(statement)
