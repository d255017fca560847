"""Which modules research and the models load: processes of theirs start often, and stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "src"

MAX_FOREIGN_MODULES = 14
"""Modules of Oryn besides its own that a part may load."""

ALLOWED = ("oryn.errors", "oryn.core", "oryn.system", "oryn.models")
"""Parts below research."""


def loaded_by(*modules: str) -> set[str]:
    """The modules that a new process has loaded after it has imported these."""
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def foreign(loaded: set[str], part: str) -> set[str]:
    return {name for name in loaded if name.startswith("oryn.") and not f"{name}.".startswith(f"{part}.")}


def test_a_process_that_reads_pages_loads_little_of_oryn() -> None:
    loaded = loaded_by("oryn.research.workers.extraction_process", "oryn.research.extractor")
    assert len(foreign(loaded, "oryn.research")) <= MAX_FOREIGN_MODULES
    assert not foreign(loaded, "oryn.research") & {"oryn.settings", "oryn.engine", "oryn.language", "oryn.browsers"}


@pytest.mark.slow
def test_a_process_that_reads_pages_loads_neither_a_network_client_nor_a_database() -> None:
    loaded = loaded_by(
        "oryn.research.workers.extraction_process",
        "oryn.research.extractor",
        "oryn.research.extraction.pdf",
        "oryn.research.extraction.plain_text",
    )
    assert not loaded & {"httpx", "httpcore", "sqlite3", "tokenizers", "ray"}
    assert len(foreign(loaded, "oryn.research")) <= MAX_FOREIGN_MODULES


@pytest.mark.slow
@pytest.mark.parametrize(
    "modules",
    [
        ("oryn.research.report.pipeline", "oryn.research.process.server", "oryn.research.process.handlers"),
        ("oryn.research.graph", "oryn.research.index.server", "oryn.research.process.tab_renderer"),
    ],
)
def test_research_loads_only_what_is_below_it(modules: tuple[str, ...]) -> None:
    above = {name for name in foreign(loaded_by(*modules), "oryn.research") if not within(name, ALLOWED)}
    assert not above


@pytest.mark.slow
def test_research_imports_only_what_is_below_it() -> None:
    """Imports in functions and for types are counted too."""
    for file in sorted((SOURCE / "oryn" / "research").rglob("*.py")):
        for name in imports(file):
            own = within(name, (*ALLOWED, "oryn.research", "oryn.__version__"))
            assert own or not name.startswith("oryn"), f"{file.relative_to(SOURCE)} imports {name}"


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{each.name}" for each in node.names}
    return found


def within(name: str, parts: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{part}.") for part in parts)
