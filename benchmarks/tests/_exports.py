"""The exported tests of the applications and of the demo shop, run by Playwright itself."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.tests import _regressions
from benchmarks.tests._altered_shop import Alteration, AlteredShop
from benchmarks.tests._runs import open_sessions, record
from benchmarks.tests.applications import APPLICATIONS, Application
from oryn.browsers.chromium.discovery import find_browser
from oryn.testing.exports import export
from oryn.testing.test_file import RecordedTest


@contextlib.contextmanager
def shop(data: Path) -> Iterator[Application]:
    with AlteredShop(Alteration("none")) as server:
        yield Application(server.url, _regressions.LINES)


EXPORTED: Mapping[str, Any] = {"shop": shop, **APPLICATIONS}


def run_exports(only: str, runs: int, show: bool) -> int:
    """Export the test of each application, and run it so often in Python's Playwright. Return how many runs failed."""
    failed = 0
    for name, application in EXPORTED.items():
        if only not in ("", name):
            continue
        with tempfile.TemporaryDirectory() as data, application(Path(data)) as app:
            test = asyncio.run(_recorded(app))
            text = export(test, name, "playwright-python")
            if show:
                print(text)
            wrong = _run(text, app, name, runs)
        failed += wrong
        print(f"{name}: {runs - wrong} of {runs} runs of the export pass in Playwright", flush=True)
    return failed


async def _recorded(app: Application) -> RecordedTest:
    async with open_sessions() as sessions:
        return await record(sessions, app.lines, app.base, vary=app.vary, reset=app.reset)


def _run(text: str, app: Application, name: str, runs: int) -> int:
    from playwright.sync_api import Error, sync_playwright

    module: Any = types.ModuleType("exported")
    exec(compile(text, "exported", "exec"), module.__dict__)
    wrong = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for number in range(runs):
            app.reset()
            context = browser.new_context()
            try:
                getattr(module, f"test_{name.replace('-', '_')}")(context.new_page())
            except (Error, AssertionError) as error:
                wrong += 1
                print(f"run {number + 1}: line {_line_of(error, text)}: {str(error)[:300]}", flush=True)
            context.close()
        browser.close()
    return wrong


def _line_of(error: Exception, text: str) -> str:
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_name.startswith("test_"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return text.splitlines()[line - 1].strip() if line else "?"
