"""The structure of the code: which layer may import which, and what imports stay light (docs/architecture.md)."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_modules import PROJECT, SOURCE, graph, imports, modules, tree, within

LAYERS = (
    "errors",
    "core",
    "system",
    "daemon_client",
    "settings",
    "records",
    "language",
    "scanner",
    "browsers.base",
    "browsers.common",
    "profiles",
    "browsers.process",
    "browsers.cdp",
    "browsers.webkit",
    "browsers.chromium",
    "browsers.extension",
    "browsers.webdriver",
    "browsers.playwright",
    "providers",
    "engine",
    "tools",
    "agent",
    "models",
    "vault",
    "captcha",
    "sandbox",
    "intents",
    "plugins",
    "recording",
    "extension_server",
    "extension",
    "sessions",
    "research",
    "hosts",
    "testing",
    "agent.runner",
    "mcp",
    "daemon",
    "client",
    "skill",
    "demo",
    "cli",
)
"""Every part of `oryn`, lowest first. A module imports from its own layer and from those before it, nothing else:
imports inside functions and for type checkers count. `python -m` entry points (`__main__`) belong to the last layer."""

SUBLAYERS = {
    "engine": (
        *("deadline", "takeover", "browser_startup", "plugin_tools", "session_host", "file_access"),
        *("person_notes", "output", "policy", "options", "secrets", "recording", "page", "postcondition"),
        *("action", "foreign_changes", "lease_guard", "controls"),
        *("state", "command_history", "program", "definitions", "session", "user_context", "confirmation_question"),
        *("handlers", "intents", "runner"),
    ),
    "daemon": (
        *("protocol", "vocabulary", "events", "event_bus", "command_stream", "readiness", "access"),
        *("history", "request", "research_process", "host_commands", "session_commands", "research", "login"),
        *(
            "metrics",
            "dispatcher",
            "http",
            "extension_endpoint",
            "mcp_endpoint",
            "live",
            "cluster",
            "daemon",
            "app",
            "server",
        ),
    ),
    "research": (
        *("options", "documents", "urls", "onnx_runtime", "text"),
        *("fetching", "html", "extraction", "structured_data", "extractor"),
        *("embedding", "index", "search", "passages", "crawling", "workers"),
        *("context", "page_data", "operations", "report", "graph", "research", "process"),
    ),
}
"""The parts of a layer, folders and modules beside them, lowest first. A part imports those before it, nothing else of
its layer. The layer's own module, `__init__`, has none of them, and may import all."""

STANDARD_LIBRARY_ONLY = {
    "errors": (),
    "core": (),
    "language": (),
    "scanner": (),
    "browsers.base": (),
    "browsers.common": (),
    "browsers.extension": ("oryn.browsers.cdp",),
    "engine": (),
    "tools": (),
    "agent": (),
    "extension": ("oryn.intents", "oryn.extension_server.messages", "oryn.extension_server.pairing"),
}
"""Layers that also run on Pyodide in the browser extension: they import the standard library, each other, and the
modules of other layers that are listed with them."""

INDEPENDENT = {
    "engine": {"errors", "core", "language", "scanner", "browsers.base"},
    "models": {"errors", "core"},
    "providers": {"errors", "core", "system", "browsers.base"},
    "vault": {"errors", "core", "system", "settings"},
    "sandbox": {"errors", "core", "system", "engine"},
    "records": {"errors", "core", "system"},
    "sessions": {"errors", "core", "system", "records", "language", "browsers.base", "engine", "extension_server"},
    "research": {"errors", "core", "system", "models"},
    "mcp": {"errors", "core", "system", "settings", "language", "engine", "tools", "sessions", "hosts"},
    "client": {
        "errors",
        "core",
        "system",
        "daemon_client",
        "language",
        "engine",
        "tools",
        "extension_server",
        "sessions",
    },
    "demo": {"errors"},
}
"""Layers that import fewer than their place allows, and which: the engine works with any browser, research without a
session."""

LIGHT = {
    "oryn.errors": {"errors"},
    "oryn.models": {"core", "errors", "models"},
    "oryn.client": {"client"},
    "oryn.client.client": {"client", "core", "errors", "language"},
    "oryn.client._generated.sync.client": {"client", "core", "errors", "language"},
    "oryn.vault": {"core", "errors", "system", "vault"},
    "oryn.settings": {"core", "errors", "settings", "system"},
    "oryn.skill": {"core", "errors", "skill"},
    "oryn.cli.main": {"cli"},
    "oryn.cli.fast.main": {"cli"},
    "oryn.research.workers.extraction_process": {"core", "errors", "research", "system"},
    "oryn.tools": {"core", "errors", "language", "tools"},
}
"""Modules that programs import when they start, and the layers that this may load, directly or not. (Other tests:
tests/cli/test_verbs.py for a verb that the daemon runs, tests/clients/test_python_blocking.py for a client at work,
tests/research/test_imports.py for the process that reads pages.)"""

BEFORE_READY = {
    *("errors", "core", "system", "settings", "language", "scanner", "engine", "sessions", "hosts", "cli"),
    *("browsers.base", "browsers.common", "browsers.process", "browsers.cdp", "browsers.chromium"),
}
"""Layers that `oryn headless` may load before its first answer, with the standard library and nothing else."""


def layer_of(module: str) -> str | None:
    """The most specific layer of a module; None for `oryn` itself and packages that only hold layers."""
    if module.endswith("__main__"):
        return LAYERS[-1]
    return max((layer for layer in LAYERS if within(module, f"oryn.{layer}")), key=len, default=None)


def circles() -> list[frozenset[str]]:
    """Groups of modules that import each other, directly or around: Tarjan's strongly connected components,
    https://doi.org/10.1137/0201010."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for imported in sorted(graph()[module]):
            if imported not in index:
                visit(imported)
                low[module] = min(low[module], low[imported])
            elif imported in stack:
                low[module] = min(low[module], index[imported])
        if low[module] == index[module]:
            position = stack.index(module)
            component = frozenset(stack[position:])
            del stack[position:]
            if len(component) > 1:
                found.append(component)

    for module in graph():
        if module not in index:
            visit(module)
    return found


# --- layers ---


@pytest.mark.slow
def test_every_module_has_a_layer() -> None:
    for module, imported in graph().items():
        # The package itself offers the client library, which it loads on first use.
        assert layer_of(module) or not imported or module == "oryn", f"{module} is in no layer"
    for layer in LAYERS:
        assert SOURCE.joinpath("oryn", *layer.split("."), "__init__.py").is_file(), f"there is no {layer}"


def test_imports_point_down() -> None:
    wrong = []
    for module, imported in graph().items():
        layer = layer_of(module)
        for other in imported:
            below = layer_of(other)
            if layer and below and LAYERS.index(below) > LAYERS.index(layer):
                wrong.append(f"{module} [{layer}] imports {other} [{below}]")
    assert not wrong


@pytest.mark.parametrize("package", SUBLAYERS)
def test_folders_of_a_package_are_layers(package: str) -> None:
    order = SUBLAYERS[package]
    prefix = f"oryn.{package}."
    inside = {module: module.removeprefix(prefix).partition(".")[0] for module in graph() if module.startswith(prefix)}
    assert sorted(set(inside.values())) == sorted(order), "the table lists each part once"
    wrong = [
        f"{module} imports {other}"
        for module, part in inside.items()
        for other in graph()[module] & inside.keys()
        if order.index(inside[other]) > order.index(part)
    ]
    assert not wrong


def test_no_files_import_each_other() -> None:
    assert not list(circles()), "move what both need into a third file, or pass it as an argument"


@pytest.mark.parametrize("layer", STANDARD_LIBRARY_ONLY)
def test_portable_layers_import_the_standard_library_and_each_other(layer: str) -> None:
    allowed = STANDARD_LIBRARY_ONLY[layer]
    for module, file in modules("oryn"):
        if layer_of(module) != layer:
            continue
        for name in imports(file):
            if not within(name, "oryn"):
                assert name.partition(".")[0] in sys.stdlib_module_names, f"{module} imports {name}"
        for other in graph()[module]:
            assert layer_of(other) in STANDARD_LIBRARY_ONLY or within(other, *allowed), f"{module} imports {other}"


@pytest.mark.parametrize("layer", INDEPENDENT)
def test_independent_layers_import_little(layer: str) -> None:
    imported = {layer_of(other) for module in graph() if layer_of(module) == layer for other in graph()[module]}
    assert imported <= {layer, *INDEPENDENT[layer]}


def test_the_portable_layers_run_where_nothing_is_installed() -> None:
    portable = "oryn.engine, oryn.language, oryn.scanner.protocol, oryn.agent, oryn.tools"
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {portable}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


@pytest.mark.parametrize("module", LIGHT)
def test_imports_that_start_programs_stay_light(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {module}; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {layer_of(name) for name in ended.stdout.split() if within(name, "oryn")} - {None}
    assert loaded <= LIGHT[module]


@pytest.mark.parametrize(
    "module", ["oryn.browsers.chromium.launch", "oryn.browsers.webkit.launch", "oryn.hosts.backend_engine"]
)
def test_browsers_start_before_the_event_loop_is_imported(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {module}; print('asyncio' in sys.modules)"
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True)
    assert ended.stdout.split() == ["False"]


def test_the_errors_load_nothing_of_the_standard_library() -> None:
    """Every call of the command line that fails imports them."""
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); before = {{*sys.modules}}; "
        "import oryn.errors; print(*sys.modules.keys() - before)"
    )
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True)
    assert {name for name in ended.stdout.split() if not within(name, "oryn")} <= {"__future__"}


@pytest.mark.slow
@pytest.mark.browser
def test_oryn_headless_loads_little_before_its_first_answer(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
    environment |= {"PYTHONPATH": str(SOURCE), "ORYN_HOME": str(tmp_path)}

    def output(*words: str) -> str:
        # One pipe has both, in order; an import of another thread may be written in the middle of a line.
        command = [sys.executable, "-X", "importtime", *words]
        ended = subprocess.run(
            command, env=environment, input="", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        )
        return ended.stdout

    before, ready, _ = output("-m", "oryn", "headless").partition("\nready ")
    assert ready
    modules_of = re.compile(r"^import time:.*\| +([\w.]+)$", re.MULTILINE)
    loaded = set(modules_of.findall(before))
    assert {layer_of(name) for name in loaded if within(name, "oryn")} - {None} <= BEFORE_READY
    # What the system or the environment loads into every Python; `copy` tries a module of Jython.
    foreign = {name.partition(".")[0] for name in loaded - set(modules_of.findall(output("-c", "pass")))}
    assert foreign - sys.stdlib_module_names <= {"oryn", "org"}


@pytest.mark.slow
def test_a_daemon_imports_nothing_that_is_slow_to_import_for_research() -> None:
    """Its research process does."""
    heavy = "{'numpy', 'lxml', 'trafilatura', 'onnxruntime', 'tokenizers', 'qdrant_edge', 'ray'}"
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import oryn.daemon.server, oryn.daemon.research.commands; "
        f"found = {heavy} & {{name.partition('.')[0] for name in sys.modules}}; assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_program_of_the_project_needs_its_tests() -> None:
    for file in sorted((PROJECT / "scripts").rglob("*.py")):
        assert not any(within(name, "tests") for name in imports(file)), f"{file} imports tests"


# --- security ---


def test_no_endpoint_of_the_daemon_trusts_the_url_that_a_client_sends() -> None:
    """Starlette puts `connection.url` together from `Host`: the scope has the path."""
    for name, file in modules("oryn.daemon"):
        for node in ast.walk(tree(file)):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("url", "base_url")
                and isinstance(node.value, ast.Name)
            ):
                assert node.value.id not in ("request", "connection", "websocket"), name


@pytest.mark.slow
def test_no_error_is_raised_that_has_no_code_of_its_own() -> None:
    """The bases of the tree have the code of a bug."""
    from oryn import errors

    bases = {
        name
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, errors.OrynError) and "code" not in vars(each)
    }
    for module, file in modules("oryn"):
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = node.exc.func.id if isinstance(node.exc.func, ast.Name) else getattr(node.exc.func, "attr", "")
                assert name not in bases, f"{module} raises a bare {name}"
