"""Which browser a test drives: Chromium as users have it, or its headless shell, which is the same engine without the
windows and takes half of the processor time.

A pytest plugin. Tests of what only the whole browser has or does otherwise (windows, extensions, profiles, processes of
frames, the death of the browser) and of the language as a whole have the marker `whole_browser`; all others use the
headless shell if it is installed, but with `ORYN_HEADLESS_SHELL=0`. A test of the layer `fast` finds that Chromium
refuses to start, and every test the programs of the markers that it lacks (`tests/layers.py`). Once in some thousand
loads the shell says that the tests' server closed the connection without an answer: `tests/headless/conftest.py` loads
again then.

A browser with the extension executes a few commands per test run, in which optimising the WebAssembly of the engine
takes more processor time than it saves: Chromium compiles it once.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.layers import NEEDS, layer_of

if TYPE_CHECKING:
    from oryn.browsers.chromium import ChromiumBrowser

PROJECT = Path(__file__).parents[1]
ARGUMENTS = {"EXTENDED_BROWSER_ARGUMENTS": "--js-flags=--liftoff-only"}
"""Variables for browsers with the extension (`scripts.extension.browser`)."""

_PATH = os.environ.get("PATH", "")
_folders: list[str] = []
"""Folders that are searched for browsers before those of `PATH`."""
_shell: str | None = None
"""That in which Chrome's name is the headless shell; '' without a shell."""


def _folder_of_shell() -> str:
    global _shell
    if _shell is None:
        shell = shutil.which("chromium-headless-shell") if sys.platform == "linux" else None
        if shell is None or os.environ.get("ORYN_HEADLESS_SHELL") == "0":
            _shell = ""
        else:
            _shell = _folder_with({"google-chrome-stable": Path(shell)})
    return _shell


@cache
def _folder_of_refusal(marker: str) -> str:
    """A folder in which every program that only tests with a marker may start ends with the reason."""
    programs = NEEDS[marker].programs
    if marker == "browser":
        from oryn.browsers.chromium.discovery import BROWSERS  # not on Pyodide

        programs |= {name for each in BROWSERS for name in each.commands}
    refusal = Path(_folder_with({}), "refused")
    refusal.write_text(f"#!/bin/sh\necho 'a test without the marker `{marker}` starts it' >&2\nexit 1\n")
    refusal.chmod(0o755)
    return _folder_with(dict.fromkeys(programs, refusal))


def _folder_with(programs: dict[str, Path]) -> str:
    folder = tempfile.mkdtemp(prefix="oryn-browsers-")
    _folders.append(folder)
    for name, program in programs.items():
        Path(folder, name).symlink_to(program)
    return folder


def pytest_configure(config: pytest.Config) -> None:
    for name, value in ARGUMENTS.items():
        os.environ.setdefault(name, value)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    first = []
    if sys.platform == "linux":
        first = [_folder_of_refusal(name) for name, need in NEEDS.items() if need.programs and not _has(item, name)]
        if layer_of(item) == "fast":
            first.append(_folder_of_refusal("browser"))
        elif not _has(item, "whole_browser"):
            first.append(_folder_of_shell())
    os.environ["PATH"] = os.pathsep.join(filter(None, (*first, _PATH)))


def _has(item: pytest.Item, marker: str) -> bool:
    return item.get_closest_marker(marker) is not None


def pytest_unconfigure(config: pytest.Config) -> None:
    for folder in _folders:
        shutil.rmtree(folder)
    _folders.clear()
    _folder_of_refusal.cache_clear()


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
    is_whole = _has(request.node, "whole_browser")
    name = "whole_browser" if is_whole or not _folder_of_shell() else "headless_shell"
    started: ChromiumBrowser = request.getfixturevalue(name)
    return started
