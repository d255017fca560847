"""WPE WebKit, started once for all tests of the run, and a session in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.engine import Session
from tests.headless.conftest import OPTIONS, Driver, Pages
from tests.webkit import drivable_webkit, webkit_browser

pytestmark = pytest.mark.webkit

HERE = Path(__file__).parent
__all__ = ["OPTIONS", "Driver", "Pages", "drivable_webkit"]


_WITHOUT_BROWSER = ("test_client.py", "test_inspector_socket.py", "test_launch.py", "test_trial.py", "test_variant.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.name not in _WITHOUT_BROWSER:
            # First, because other fixtures start the browser.
            item.fixturenames.insert(0, "drivable_webkit")  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def wpe(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKitBrowser]:
    """The browser that the tests share."""
    browser = webkit_browser(runtime_dir=tmp_path_factory.mktemp("wpe"), load_timeout=10)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture
def embedded(wpe: WebKitBrowser, pages: Pages, run: Any) -> Iterator[Driver]:
    """A session in the shared browser, which shows an empty page."""
    pages.bodies.clear()
    run(wpe.revive())
    yield Driver(Session(wpe, "test", OPTIONS), pages)


@pytest.fixture
def own_browser(run: Any, tmp_path: Path) -> Iterator[WebKitBrowser]:
    """A browser that the test may kill."""
    browser = webkit_browser(runtime_dir=tmp_path, load_timeout=10)
    run(browser.start())
    yield browser
    run(browser.close())
