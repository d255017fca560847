"""The server that docs/spec/extension-protocol.md shows, and the extension in Firefox, whose origins are others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.extension import copy
from scripts.extension.firefox import FirefoxBrowser
from tests.extension.test_protocol_page import test_the_server_of_the_page

__all__ = ["test_the_server_of_the_page"]


@pytest.fixture
def fresh_browser(run: Any, tmp_path: Path) -> Iterator[FirefoxBrowser]:
    """A Firefox of the test's own, with a new profile."""
    browser = FirefoxBrowser(copy(tmp_path / "extension", "firefox"), tmp_path)
    run(browser.start())
    yield browser
    run(browser.close())
