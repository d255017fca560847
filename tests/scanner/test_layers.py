"""The scanner's folders are layers: a module imports from its own folder and those before it, never in a circle."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath

from tests.pages import PROJECT

SOURCES = PROJECT / "scanner"
LAYERS = (
    "vitals",  # what the library of web vitals has seen, which is bundled apart
    "dom",  # typed access to nodes, the walk over all of them, numbers and selectors
    "geometry",  # boxes, clipping, what can be seen, hit tests
    "semantics",  # roles, names, values, what is interactive
    "text",  # the page's texts as units, and how they differ
    "targets",  # elements by what a command says
    "page",  # the page as a whole: patterns, layers, changes, whether it is at rest
    "input",  # the mouse, and where it may press
    "controls",  # fields, lists, sliders, calendars, editors
    "keyboard",  # keys and what they do to text
    "commands",  # the rest of the protocol, and its dispatch
    "webkit",  # the world of WebKit's documents
    "entries",  # what is bundled
)
_IMPORT = re.compile(r"""^(?:import|export) (?:[^;'"]* from )?['"](\.[^'"]+)['"];""", re.MULTILINE)


@cache
def imports() -> dict[str, set[str]]:
    """The modules that each module imports, for types alone too: `dom/tree` → `dom/natives`."""
    found = {}
    for file in sorted(SOURCES.rglob("*.ts")):
        module = file.relative_to(SOURCES).with_suffix("").as_posix()
        if module.startswith("tests/"):
            continue
        named = (PurePosixPath(module).parent / path for path in _IMPORT.findall(file.read_text("utf-8")))
        found[module] = {Path(SOURCES, name).resolve().relative_to(SOURCES.resolve()).as_posix() for name in named}
    return found


def test_every_folder_is_a_layer() -> None:
    assert {module.partition("/")[0] for module in imports()} == {*LAYERS}


def test_no_module_imports_from_a_later_layer() -> None:
    upward = [
        f"{module} → {other}"
        for module, others in imports().items()
        for other in others
        if LAYERS.index(other.partition("/")[0]) > LAYERS.index(module.partition("/")[0])
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = {module: set(others) for module, others in imports().items()}
    while free := {module for module, others in left.items() if not others & left.keys()}:
        left = {module: others for module, others in left.items() if module not in free}
    assert left == {}, "these are in circles, or import modules that are"
