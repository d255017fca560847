"""The exported tests of the applications and of the demo shop, run by what they are exported for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import tempfile
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.tests import _regressions
from benchmarks.tests._altered_shop import Alteration, AlteredShop
from benchmarks.tests._runs import open_sessions, record
from benchmarks.tests.applications import APPLICATIONS, Application
from oryn.browsers.chromium.discovery import find_browser
from oryn.language import parse
from oryn.language.lexer import quote
from oryn.testing.exports import export
from oryn.testing.test_file import RecordedTest

PROJECT = Path(__file__).parents[2]
MANIFEST = {"private": True, "devDependencies": {"@playwright/test": "^1.60.0", "@types/node": "^18.19.130"}}
"""What a project with an exported TypeScript test needs."""
BROWSER = {"executablePath": find_browser(), "args": ["--no-sandbox"]}
CONFIGURATION = {"use": {"browserName": "chromium", "launchOptions": BROWSER}, "reporter": "line", "timeout": 120_000}


@contextlib.contextmanager
def shop(data: Path) -> Iterator[Application]:
    with AlteredShop(Alteration("none")) as server:
        yield Application(server.url, _regressions.LINES)


EXPORTED: Mapping[str, Any] = {"shop": shop, **APPLICATIONS}

Run = Callable[[], str | None]
"""Runs an export once; returns why it failed."""


def run_exports(only: str, runs: int, show: bool, formats: tuple[str, ...]) -> int:
    """Export the test of each application in each format, and run it so often. Return how many runs failed."""
    failed = 0
    for name, application in EXPORTED.items():
        if only not in ("", name):
            continue
        with tempfile.TemporaryDirectory() as data, application(Path(data)) as app:
            test = asyncio.run(_recorded(app))
            for format in formats:
                text = export(test, name, format)
                if show:
                    print(text)
                with RUNNERS[format](text, name) as run:
                    failed += _run_again(run, app, f"{name} as {format}", runs)
    return failed


def _run_again(run: Run, app: Application, what: str, runs: int) -> int:
    wrong = 0
    for number in range(runs):
        app.reset()
        if reason := run():
            wrong += 1
            print(f"{what}, run {number + 1}: {reason}", flush=True)
    print(f"{what}: {runs - wrong} of {runs} runs pass, load {os.getloadavg()[0]:.1f}", flush=True)
    return wrong


async def _recorded(app: Application) -> RecordedTest:
    async with open_sessions() as sessions:
        return await record(sessions, app.lines, app.base, vary=app.vary, reset=app.reset)


@contextlib.contextmanager
def _script(text: str, name: str) -> Iterator[Run]:
    yield lambda: asyncio.run(_run_lines(text.splitlines()))


@contextlib.contextmanager
def _program(text: str, name: str) -> Iterator[Run]:
    yield lambda: asyncio.run(_run_lines([f"program --text {quote(text)} --timeout 10m"]))


async def _run_lines(lines: list[str]) -> str | None:
    async with open_sessions() as sessions:
        for line in lines:
            answer = await sessions.execute_in("export", parse(line), {})
            if not answer.ok:
                return answer.render()[-1500:]
    return None


@contextlib.contextmanager
def _playwright_python(text: str, name: str) -> Iterator[Run]:
    from playwright.sync_api import Error, sync_playwright

    module: Any = types.ModuleType("exported")
    exec(compile(text, "exported", "exec"), module.__dict__)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])

        def run() -> str | None:
            context = browser.new_context()
            try:
                getattr(module, f"test_{name.replace('-', '_')}")(context.new_page())
            except (Error, AssertionError) as error:
                return f"line {_line_of(error, text)}: {str(error)[:300]}"
            finally:
                context.close()
            return None

        yield run
        browser.close()


def _line_of(error: Exception, text: str) -> str:
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_name.startswith("test_"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return text.splitlines()[line - 1].strip() if line else "?"


@contextlib.contextmanager
def _playwright_typescript(text: str, name: str) -> Iterator[Run]:
    """In a project of its own, for which npm installs Playwright's runner; its types are checked, too."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "package.json").write_text(json.dumps(MANIFEST))
        (folder / "playwright.config.ts").write_text(f"export default {json.dumps(CONFIGURATION)};\n")
        (folder / f"{name}.spec.ts").write_text(text)
        environment = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "CI": "1"}
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, env=environment, check=True
        )
        compiler = PROJECT / "node_modules" / ".bin" / "tsc"
        options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
        subprocess.run([compiler, *options, f"{name}.spec.ts"], cwd=folder, check=True)

        def run() -> str | None:
            done = subprocess.run(
                ["npx", "playwright", "test"], cwd=folder, env=environment, capture_output=True, text=True
            )
            return done.stdout[-1500:] if done.returncode else None

        yield run


RUNNERS: Mapping[str, Callable[[str, str], contextlib.AbstractContextManager[Run]]] = {
    "oil": _script,
    "program": _program,
    "playwright-python": _playwright_python,
    "playwright-ts": _playwright_typescript,
}
