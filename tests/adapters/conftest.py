"""Adapters with the libraries that they are for: `make test-adapters` installs those. Elsewhere these tests are not
collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from oryn import Oryn
from tests.clients.conftest import Program
from tests.headless.conftest import Pages

collect_ignore_glob = [] if find_spec("langchain_core") else ["test_*.py"]

PAGE = """<title>Form</title><style>body { margin: 0 } button { position: absolute; left: 300px; top: 100px }</style>
<input aria-label=Name style="position: absolute; left: 20px; top: 20px; width: 200px; height: 20px">
<select aria-label=Colour style="position: absolute; left: 20px; top: 60px"><option>Red<option>Blue</select>
<label style="position: absolute; left: 20px; top: 100px"><input type=checkbox> Agree</label>
<button onclick="said.textContent = event.detail + (event.ctrlKey ? ' with control' : '')">Buy</button>
<p id=said style="position: absolute; left: 20px; top: 200px">nothing</p>
<div id=box style="position: absolute; left: 400px; top: 300px; width: 100px; height: 100px; overflow: auto">
<div style="height: 1000px"></div></div><a href=/next style="position: absolute; left: 20px; top: 300px">Next</a>
<script>console.log('hello'); addEventListener('keydown', event => document.body.dataset.key = event.key)</script>"""


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        served["/"] = PAGE
        served["/next"] = "<title>Next page</title><h1>Next</h1>"
        yield served


@pytest.fixture(scope="module")
def oryn(run: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oryn]:
    """A client of an engine that the tests of a module share."""
    folder = tmp_path_factory.mktemp("engine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORYN_HOME", str(folder / "home"))
        patch.setenv("ORYN_TIMEOUT", "60s")
        client = Oryn(binary=Program(folder).path)
        run(client.connect())
        yield client
        run(client.close())


@pytest.fixture
def shop(oryn: Oryn, pages: Pages, run: Callable[..., Any]) -> Oryn:
    """The client, with the page open."""
    run(oryn.goto(pages.url("/")))
    return oryn


async def page_log(oryn: Oryn) -> str:
    """What the page says was done to it."""
    return (await oryn.text({"css": "#said"})).data


def point_of(element: str) -> tuple[int, int]:
    """The middle of an element of the page."""
    return {"name": (100, 30), "buy": (315, 110), "box": (440, 350), "next": (30, 310)}[element]
