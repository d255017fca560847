"""Whether WPE WebKit is installed on this machine; if it is not, tests of embedded mode are skipped."""

from __future__ import annotations

from functools import cache

import pytest

from oryn.errors import BrowserNotFound


@cache
def refusal() -> str | None:
    """Why embedded mode does not run here; None if it does."""
    from oryn.browsers.webkit.engines import ENGINES, find_browser_program

    try:
        find_browser_program(ENGINES["wpe"])
    except BrowserNotFound as error:
        return f"{error.message}; 'make test-all' installs it on Debian"
    return None


@pytest.fixture
def drivable_webkit() -> None:
    """Skips the test if there is no WPE WebKit on this machine."""
    if reason := refusal():
        pytest.skip(reason)
