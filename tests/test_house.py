"""The arrows of the house: who may import whom (docs/architecture.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"

PURE = {
    "oryn.errors": set[str](),
    "oryn.records": set[str](),
    "oryn.html_page": set[str](),
    "oryn.modes": {"oryn.errors"},
    "oryn.domains": {"oryn.records"},
    "oryn.language": {"oryn.errors", "oryn.records"},
    "oryn.tools": {"oryn.errors", "oryn.records", "oryn.language"},
    "oryn.scanner": {"oryn.errors"},
    "oryn.browsers.base": {"oryn.errors", "oryn.records", "oryn.domains"},
    "oryn.browsers.common": {"oryn.errors", "oryn.records", "oryn.domains", "oryn.browsers.base"},
    "oryn.browsers.extension": {
        "oryn.errors",
        "oryn.records",
        "oryn.domains",
        "oryn.scanner",
        "oryn.browsers.base",
        "oryn.browsers.common",
        "oryn.browsers.cdp",
        "oryn.extension.bridge",
    },
    "oryn.engine": {
        "oryn.errors",
        "oryn.records",
        "oryn.html_page",
        "oryn.domains",
        "oryn.modes",
        "oryn.language",
        "oryn.scanner",
        "oryn.browsers.base",
    },
    "oryn.remote.control": {"oryn.errors", "oryn.records"},
    "oryn.remote.attachments": {"oryn.errors", "oryn.records", "oryn.remote.control"},
    "oryn.remote.messages": {"oryn.errors", "oryn.records", "oryn.remote.control", "oryn.remote.attachments"},
    "oryn.remote.pairing": {"oryn.errors", "oryn.records"},
    "oryn.extension": {
        "oryn.errors",
        "oryn.records",
        "oryn.language",
        "oryn.engine",
        "oryn.agent",
        "oryn.tools",
        "oryn.browsers.base",
        "oryn.browsers.extension",
        "oryn.intents",
        "oryn.remote.attachments",
        "oryn.remote.control",
        "oryn.remote.messages",
        "oryn.remote.pairing",
    },
}
"""What is pure, and which other parts it may import; the standard library aside, nothing else."""

HOSTS = {"oryn.host", "oryn.daemon", "oryn.client", "oryn.cli", "oryn.demo"}

ARROWS = {
    "oryn.browsers.cdp": {"oryn.engine", "oryn.language", "oryn.sessions", "oryn.settings"} | HOSTS,
    "oryn.sessions": {"oryn.browsers.cdp", "oryn.settings"} | HOSTS,
    "oryn.client": {"oryn.browsers", "oryn.engine", "oryn.sessions", "oryn.host", "oryn.cli", "oryn.demo"},
    "oryn.remote": {"oryn.engine", "oryn.language", "oryn.browsers", "oryn.sessions", "oryn.settings"} | HOSTS,
    "oryn.recording": {"oryn.sessions", "oryn.settings"} | HOSTS,
    "oryn.models": {"oryn.agent", "oryn.language", "oryn.browsers", "oryn.sessions", "oryn.settings"} | HOSTS,
    "oryn.research": {"oryn.language", "oryn.browsers", "oryn.sessions", "oryn.settings", "oryn.agent", "oryn.mcp"}
    | HOSTS,
    "oryn.host": HOSTS - {"oryn.host"},
    "oryn.daemon": {"oryn.cli", "oryn.client", "oryn.demo"},
    "oryn.mcp": {"oryn.browsers", "oryn.daemon", "oryn.cli", "oryn.client", "oryn.demo"},
    "oryn.vault": {"oryn.language", "oryn.browsers", "oryn.sessions"} | HOSTS,
    "oryn.intents": {"oryn.browsers", "oryn.sessions", "oryn.settings"} | HOSTS,
    "oryn.demo": {"oryn.language", "oryn.engine", "oryn.browsers", "oryn.sessions", "oryn.host"},
    "oryn.settings": {"oryn.language", "oryn.engine", "oryn.browsers", "oryn.sessions"} | HOSTS,
}
"""Which parts another part must not import."""


EXCEPT = {"oryn.client": {"oryn.sessions.framing", "oryn.sessions.remote", "oryn.engine.options"}}
"""What of those it may import nevertheless: the line protocol's framing, and a session whose engine is elsewhere."""


def modules(part: str) -> Iterator[tuple[str, Path]]:
    base = SOURCE.joinpath(*part.split("."))
    for file in [base.with_suffix(".py")] if base.with_suffix(".py").is_file() else sorted(base.rglob("*.py")):
        yield ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"), file


def imports(file: Path) -> Iterator[str]:
    """The full name of everything that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, parts: set[str]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


@pytest.mark.parametrize("part", PURE)
def test_what_is_pure_imports_the_standard_library_and_its_like(part: str) -> None:
    for module, file in modules(part):
        for name in imports(file):
            standard = name.partition(".")[0] in sys.stdlib_module_names
            top = name in ("oryn.errors", "oryn.__version__", "oryn.PROTOCOL_VERSION")
            assert standard or top or within(name, PURE[part] | {part}), f"{module} imports {name}"


@pytest.mark.parametrize("part", ARROWS)
def test_no_arrow_points_back(part: str) -> None:
    for module, file in modules(part):
        for name in imports(file):
            allowed = not within(name, ARROWS[part]) or within(name, EXCEPT.get(part, set()))
            assert allowed or module.endswith("__main__"), f"{module} imports {name}"


def test_no_program_of_the_project_needs_its_tests() -> None:
    for file in sorted((SOURCE.parent / "scripts").rglob("*.py")):
        assert not any(within(name, {"tests"}) for name in imports(file)), f"{file} imports tests"


def test_the_pure_parts_run_where_nothing_is_installed() -> None:
    pure = "oryn.engine, oryn.language, oryn.scanner.protocol, oryn.agent"
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {pure}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_a_daemon_imports_nothing_that_is_slow_to_import_for_research() -> None:
    """Its research process does."""
    heavy = "{'numpy', 'lxml', 'trafilatura', 'onnxruntime', 'tokenizers', 'qdrant_edge', 'ray'}"
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import oryn.daemon.serving, oryn.daemon.research; "
        f"found = {heavy} & {{name.partition('.')[0] for name in sys.modules}}; assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_at_the_daemons_doors_is_decided_by_a_url_that_the_caller_says() -> None:
    """Starlette puts `connection.url` together from `Host`: the scope has the path."""
    for name, file in modules("oryn.daemon"):
        attributes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)]
        asked = [each for each in attributes if each.attr in ("url", "base_url") and isinstance(each.value, ast.Name)]
        assert not {each.value.id for each in asked} & {"request", "connection", "websocket"}, name  # type: ignore[attr-defined]


def test_no_error_is_raised_that_has_no_code_of_its_own() -> None:
    """The bases of the tree have the code of a bug."""
    from oryn import errors

    bases = {
        name
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, errors.OrynError) and "code" not in vars(each)
    }
    for module, file in modules("oryn"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = node.exc.func.id if isinstance(node.exc.func, ast.Name) else getattr(node.exc.func, "attr", "")
                assert name not in bases, f"{module} raises a bare {name}"
