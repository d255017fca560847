"""Browsers that Playwright drives: one for all tests of the run, and those that a test may kill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.playwright import PlaywrightBrowser
from oryn.engine import Session
from tests.headless.conftest import OPTIONS as HEADLESS_OPTIONS
from tests.headless.conftest import Driver, Pages, quick_key_derivation

pytestmark = [pytest.mark.whole_browser, pytest.mark.firefox, pytest.mark.playwright]

__all__ = ["OPTIONS", "Driver", "Pages", "quick_key_derivation"]
HERE = Path(__file__).parent
OPTIONS = HEADLESS_OPTIONS.replace(timeout=60)
"""The first page of a Firefox that has just been started takes over 30 s on a busy machine."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Not when this file is imported: the set-up that installs it may come after that (tests/prerequisites.py).
    if find_spec("playwright") is None:
        missing = pytest.mark.skip(reason="needs Playwright; 'make test' installs it")
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(missing)


@pytest.fixture(scope="session")
def shared(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlaywrightBrowser]:
    """The browser that the tests share."""
    browser = PlaywrightBrowser(runtime_dir=tmp_path_factory.mktemp("playwright"), load_timeout=10)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture
def session(shared: PlaywrightBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """A session in a context of its own of the shared browser."""
    pages.bodies.clear()
    browser = PlaywrightBrowser(runtime_dir=tmp_path, load_timeout=10, shared_with=shared)
    run(browser.start())
    driver = Driver(Session(browser, "test", OPTIONS.replace(download_folder=tmp_path / "downloads")), pages)
    yield driver
    run(driver.session.close())


@pytest.fixture
def create(run: Any, tmp_path: Path) -> Iterator[Callable[..., PlaywrightBrowser]]:
    """Creates browsers that the test may kill."""
    created: list[PlaywrightBrowser] = []

    def create(**options: Any) -> PlaywrightBrowser:
        created.append(PlaywrightBrowser(runtime_dir=tmp_path / "run", load_timeout=10, **options))
        return created[-1]

    yield create
    for browser in created:
        run(browser.close())
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []
