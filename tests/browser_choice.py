"""Which browser a test drives: Chromium as users have it, or its headless shell, which is the same engine without the
windows and takes half of the processor time.

A pytest plugin. Tests of what only the whole browser has or does otherwise (windows, extensions, profiles, processes of
frames, the death of the browser) and of the language as a whole are in `WHOLE_BROWSER`, or have the mark
`whole_browser` if they start a browser of their own; all others use the headless shell if it is installed, but with
`ORYN_HEADLESS_SHELL=0`. Once in some thousand loads the shell says that the tests' server closed the connection without
an answer: `tests/headless/conftest.py` loads again then.

A browser with the extension executes a few commands per test run, in which optimising the WebAssembly of the engine
takes more processor time than it saves: Chromium compiles it once.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from oryn.browsers.chromium import ChromiumBrowser

PROJECT = Path(__file__).parents[1]
ARGUMENTS = {"EXTENDED_BROWSER_ARGUMENTS": "--js-flags=--liftoff-only"}
"""Variables for browsers with the extension (`scripts.extension.browser`)."""

WHOLE_BROWSER = (
    "tests/browsers",
    "tests/clients/test_python_extension.py",
    "tests/clients/test_typescript.py",
    "tests/daemon/test_extension.py",
    "tests/daemon/test_faults.py",
    "tests/daemon/test_login.py",
    "tests/demo",
    "tests/embedded/test_conformance.py",
    "tests/extension",
    "tests/headless/test_actions.py",
    "tests/headless/test_attach.py",
    "tests/headless/test_attachable.py",
    "tests/headless/test_clipboard.py",
    "tests/headless/test_downloads.py",
    "tests/headless/test_drag.py",
    "tests/headless/test_error_pages.py",
    "tests/headless/test_extensions.py",
    "tests/headless/test_frames.py",
    "tests/headless/test_keys.py",
    "tests/headless/test_killed_renderers.py",
    "tests/headless/test_mouse.py",
    "tests/headless/test_navigation.py",
    "tests/headless/test_nested_frames.py",
    "tests/headless/test_network_conditions.py",
    "tests/headless/test_other_processes.py",
    "tests/headless/test_profiles.py",
    "tests/headless/test_restore.py",
    "tests/headless/test_sessions.py",
    "tests/headless/test_state.py",
    "tests/host/test_process.py",
    "tests/hub",
    "tests/playwright",
)
"""Files and folders of tests that drive the whole browser."""

_PATH = os.environ.get("PATH", "")
_first: str | None = None
"""A folder in which Chrome's name is the headless shell, to be searched before the others; '' without a shell."""


def needs_whole_browser(test: Path) -> bool:
    """Whether the tests in this file drive the whole browser."""
    return any(test.is_relative_to(PROJECT / place) for place in WHOLE_BROWSER)


def _folder_of_shell() -> str:
    global _first
    if _first is None:
        shell = shutil.which("chromium-headless-shell") if sys.platform == "linux" else None
        if shell is None or os.environ.get("ORYN_HEADLESS_SHELL") == "0":
            _first = ""
        else:
            _first = tempfile.mkdtemp(prefix="oryn-headless-shell-")
            Path(_first, "google-chrome-stable").symlink_to(shell)
    return _first


def pytest_configure(config: pytest.Config) -> None:
    for name, value in ARGUMENTS.items():
        os.environ.setdefault(name, value)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    is_whole = needs_whole_browser(item.path) or item.get_closest_marker("whole_browser") is not None
    first = "" if is_whole else _folder_of_shell()
    os.environ["PATH"] = os.pathsep.join(filter(None, (first, _PATH)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if _first:
        shutil.rmtree(_first)


def _started(run: Any, folder: Path) -> Iterator[ChromiumBrowser]:
    from oryn.browsers.chromium import ChromiumBrowser  # not on Pyodide

    browser = ChromiumBrowser(runtime_dir=folder)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture(scope="session")
def whole_browser(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    yield from _started(run, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="session")
def headless_shell(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    yield from _started(run, tmp_path_factory.mktemp("shell"))


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> ChromiumBrowser:
    """The browser that the tests of a module share, started once for all modules that drive the same one."""
    name = "whole_browser" if needs_whole_browser(request.path) or not _folder_of_shell() else "headless_shell"
    started: ChromiumBrowser = request.getfixturevalue(name)
    return started
