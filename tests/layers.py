"""What a test needs, and from that the layer that it is in. A pytest plugin.

A test says what it needs with a marker: its own, its module's, or that of its folder, which is a `pytestmark` in the
folder's `conftest.py`; a fixture of `Need.fixtures` says it for the tests that use it. The layer of a test is the
highest of its markers', and the lowest if it has none:

* `fast`: pure code, files, protocols; no browser, no package manager, no model (`make test-fast`);
* `usual`: what is quick of every behaviour, in the engine that is cheapest for it, with some cases of a test that has
  many (`make test`, with `fast`);
* `thorough`: every behaviour and every case (`make test-thorough`, with both);
* `all`: the same behaviours in every other engine (`make test-all`, with all others).

`pytest --layer fast` runs one layer and those before it; without the option, all that was selected runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
LAYERS = ("fast", "usual", "thorough", "all")
USUAL_CASES = 3
"""The layer `usual` runs so many cases of a parametrized test, the first and the last among them."""


@dataclass(frozen=True)
class Need:
    """What a marker says. `step` of the set-up (`setup/STEP.sh`) provides it; a test has the marker if it uses one of
    `fixtures`. A test without it finds that `programs` refuse to start (`tests/browser_choice.py`)."""

    layer: str
    description: str
    step: str | None = None
    fixtures: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()


NEEDS = {
    "browser": Need(
        "usual",
        "needs Chromium, or its headless shell",
        fixtures=frozenset({"browser", "shared_browser", "whole_browser", "headless_shell", "viewer_browser"}),
    ),
    "whole_browser": Need("usual", "needs Chromium as users have it, not its headless shell"),
    "processes": Need("usual", "starts programs of Oryn"),
    "slow": Need("thorough", "takes more than a second and a half of its own where tests run side by side"),
    "typescript": Need("fast", "needs what checks and bundles the TypeScript", step="typescript"),
    "node": Need("usual", "needs Node and packages of npm", step="node"),
    "display": Need("usual", "needs a display", step="display"),
    "other_engine": Need("all", "proves in another engine what a test of an earlier layer proves"),
    "haproxy": Need("all", "needs HAProxy", step="haproxy"),
    "firefox": Need("all", "needs Firefox", step="firefox"),
    "webkit": Need(
        "all",
        "needs WPE WebKit",
        step="webkit",
        fixtures=frozenset({"drivable_webkit"}),
        programs=frozenset({"MiniBrowser", "cog"}),
    ),
    "model": Need("all", "needs a chat model", step="model"),
    "playwright": Need("all", "needs Playwright", step="playwright"),
    "ray": Need("all", "needs Ray", step="ray"),
    "postgresql": Need("all", "needs PostgreSQL", step="postgresql", fixtures=frozenset({"own_postgresql"})),
    "grid": Need("all", "needs a Selenium Grid", step="grid"),
    "prometheus": Need("all", "needs Prometheus", step="prometheus"),
    "packages": Need("all", "installs packages"),
    "pyodide": Need("all", "runs Python in WebAssembly"),
}
"""Every marker that decides about a layer, in the order of the set-up."""

_MARKER = re.compile(r"\bmark\.(\w+)")


def steps_for(selected: Iterable[Path], layer: str = LAYERS[-1]) -> list[str]:
    """The steps of the set-up that the tests in these files and folders need, up to a layer, in the order of `NEEDS`.
    They are read from the text of the files: some can't be imported before."""
    named: set[str] = set()
    for each in selected:
        files = {each, *each.parent.glob("conftest.py")} if each.is_file() else {*each.rglob("*.py")}
        for file in [*files, *_conftests_above(each)]:
            if "site-packages" not in file.parts and "node_modules" not in file.parts:
                named |= {*_MARKER.findall(file.read_text("utf-8"))}
    return [
        need.step
        for name, need in NEEDS.items()
        if name in named and need.step and LAYERS.index(need.layer) <= LAYERS.index(layer)
    ]


def _conftests_above(path: Path) -> list[Path]:
    above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(PROJECT / "tests")]
    return [each for each in above if each.is_file()]


@cache
def _marks_of_folder(folder: Path) -> tuple[pytest.Mark, ...]:
    """The marks of the tests in a folder: `pytestmark` of its `conftest.py` and of those above."""
    if not folder.is_relative_to(PROJECT / "tests"):
        return ()
    own: list[pytest.MarkDecorator] | pytest.MarkDecorator = []
    if (folder / "conftest.py").is_file():
        module = import_module(".".join((folder / "conftest").relative_to(PROJECT).parts))
        own = getattr(module, "pytestmark", [])
    decorators = own if isinstance(own, list) else [own]
    return (*_marks_of_folder(folder.parent), *(each.mark for each in decorators))


def layer_of(item: pytest.Item) -> str:
    """The layer of a collected test."""
    indices = (LAYERS.index(NEEDS[mark.name].layer) for mark in item.iter_markers() if mark.name in NEEDS)
    return LAYERS[max(indices, default=0)]


def cases_too_many(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases of each parametrized test that the layer `usual` leaves out."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for each in cases.values():
        kept = {round(index * (len(each) - 1) / (USUAL_CASES - 1)) for index in range(USUAL_CASES)}
        yield from (item for index, item in enumerate(each) if index not in kept)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--layer", choices=LAYERS, default=LAYERS[-1], help="run the tests up to this layer")


def pytest_configure(config: pytest.Config) -> None:
    for name, need in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: {need.description} (layer `{need.layer}`)")


def pytest_collectstart(collector: pytest.Collector) -> None:
    if isinstance(collector, pytest.Module):
        for mark in _marks_of_folder(collector.path.parent):
            collector.add_marker(getattr(pytest.mark, mark.name)(*mark.args, **mark.kwargs))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        used = {*getattr(item, "fixturenames", ())}
        for name, need in NEEDS.items():
            if used & need.fixtures and item.get_closest_marker(name) is None:
                item.add_marker(name)
    layer = config.getoption("--layer")
    left = {item for item in items if LAYERS.index(layer_of(item)) > LAYERS.index(layer)}
    if layer == "usual":
        left |= {*cases_too_many(item for item in items if layer_of(item) == layer)}
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]
