"""Which browser a test drives: Chromium as users have it, or its headless shell, which is the same engine without the
windows and takes half of the processor time.

A pytest plugin. Tests of what only the whole browser has or does otherwise (windows, extensions, profiles, processes of
frames, the death of the browser) and of the language as a whole have the marker `whole_browser`; all others use the
headless shell if it is installed, but with `ORYN_HEADLESS_SHELL=0`. A test of the layer `fast` (`tests/layers.py`)
finds programs that refuse to start. Once in some thousand loads the shell says that the tests' server closed the
connection without an answer: `tests/headless/conftest.py` loads again then.

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

from tests.layers import layer_of

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
_refusal: str | None = None


def _folder_of_shell() -> str:
    global _shell
    if _shell is None:
        shell = shutil.which("chromium-headless-shell") if sys.platform == "linux" else None
        if shell is None or os.environ.get("ORYN_HEADLESS_SHELL") == "0":
            _shell = ""
        else:
            _shell = _folder_with({"google-chrome-stable": Path(shell)})
    return _shell


def _folder_of_refusal() -> str:
    """A folder in which every browser of Chromium's family is a program that ends with the reason."""
    global _refusal
    if _refusal is None:
        from oryn.browsers.chromium.discovery import BROWSERS  # not on Pyodide

        program = Path(_folder_with({}), "refused")
        refusal = "a test without the marker `browser` starts a browser"
        program.write_text(f"#!/bin/sh\\necho '{refusal}' >&2\\nexit 1\\n")

        program.chmod(0o755)
        _refusal = _folder_with({name: program for each in BROWSERS for name in each.commands})
    return _refusal


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
    if layer_of(item) == "fast" and sys.platform == "linux":
        first = _folder_of_refusal()
    else:
        first = "" if item.get_closest_marker("whole_browser") else _folder_of_shell()
    os.environ["PATH"] = os.pathsep.join(filter(None, (first, _PATH)))


def pytest_unconfigure(config: pytest.Config) -> None:
    for folder in _folders:
        shutil.rmtree(folder)
    _folders.clear()


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
    is_whole = request.node.get_closest_marker("whole_browser") is not None
    name = "whole_browser" if is_whole or not _folder_of_shell() else "headless_shell"
    started: ChromiumBrowser = request.getfixturevalue(name)
    return started
