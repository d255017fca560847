"""docs/architecture.md and the code: the page places every part, and what it names exists."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatch

import pytest

from tests.pages import PROJECT, files, is_in_the_code, modules, spans_of, text_of, words_of_the_code
from tests.test_import_rules import LAYERS, STANDARD_LIBRARY_ONLY

PAGE = PROJECT / "docs" / "architecture.md"
SOURCE = PROJECT / "src" / "oryn"
SUFFIXES = ("py", "js", "ts", "json", "css", "sh", "md")
MAX_PAGE_LINES = 160
MAX_COLUMNS = 120


def layer_rows() -> list[tuple[str, str]]:
    """The table of layers: each name, and what its last column says."""
    table = text_of(PAGE).partition("| layer in `src/oryn` |")[2].partition("\n\n")[0]
    return [(name, note.strip()) for name, note in re.findall(r"^\| `([\w.]+)` \|.*\|([^|]*)\|$", table, re.MULTILINE)]


def definitions(node: ast.AST, above: str = "") -> set[str]:
    """The names of a module's functions, classes and methods: `parse`, `Session`, `Session.execute`."""
    found = set()
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {f"{above}{each.name}", *definitions(each, f"{above}{each.name}.")}
    return found


def test_the_page_is_one_page() -> None:
    lines = text_of(PAGE).splitlines()
    assert len(lines) <= MAX_PAGE_LINES
    assert not [line for line in lines if len(line) > MAX_COLUMNS]


def test_the_table_of_layers_is_that_of_the_import_rules() -> None:
    assert [name for name, _ in layer_rows()] == list(LAYERS)
    assert {name for name, note in layer_rows() if note == "portable"} == set(STANDARD_LIBRARY_ONLY)


def test_every_package_has_a_layer() -> None:
    tops = {layer.partition(".")[0] for layer in LAYERS}
    assert {file.parent.name for file in SOURCE.glob("*/__init__.py")} == tops
    assert {file.stem for file in SOURCE.glob("*.py")} == {"__init__", "__main__"}, "a module belongs into a package"


def test_files_and_functions_of_the_walks_exist() -> None:
    named = [span.partition(":") for span in spans_of(PAGE) if re.fullmatch(r"[\w/]+\.py:[\w.]+", span)]
    assert len(named) > 20
    wrong = []
    for path, _, name in named:
        file = SOURCE / path.removeprefix("src/oryn/")
        if not file.is_file() or name not in definitions(ast.parse(file.read_text("utf-8"))):
            wrong.append(f"{path}:{name}")
    assert not wrong


def test_modules_and_files_that_are_named_exist() -> None:
    wrong = []
    for span in spans_of(PAGE):
        if re.fullmatch(rf"[\w.*-]+(?:/[\w.*-]+)*\.(?:{'|'.join(SUFFIXES)})", span):
            wrong += [] if any(fnmatch(f"/{name}", f"*/{span}") for name in files()) else [span]
        elif re.fullmatch(r"[\w-]+(?:/[\w-]+)*/", span):
            wrong += [] if (SOURCE / span).is_dir() or (PROJECT / span).is_dir() else [span]
        elif re.fullmatch(r"[a-z_]+(?:\.[a-z_]+)*\.[A-Za-z_]+", span):
            wrong += [] if is_in_the_code(span) else [span]
    assert not wrong


@pytest.mark.slow
def test_single_words_that_are_named_stand_in_the_code() -> None:
    words = words_of_the_code() | {part for module in modules() for part in module.split(".")}
    names = {span for span in spans_of(PAGE) if re.fullmatch(r"[A-Za-z_]+", span)}
    assert not names - words
