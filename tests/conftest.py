"""What every test may use: coroutines as tests and as fixtures' helpers, on one event loop of the session.

A plugin would do the same; this is all of it that the project needs, and it also runs on Pyodide, where a loop without
sockets takes the place of asyncio's (`tests/pyodide/blocking_loop.py`).
"""

from __future__ import annotations

import asyncio
import inspect
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from tests import (
    browser_choice,
    command_coverage,
    failures,
    layers,
    prerequisites,
    protocol_trace,
    result_types,
    scheduling,
    slowest_files,
    time_limits,
)
from tests.extension.conformance import suite

collect_ignore = ["pyodide/site-packages"]

# How quick a machine is decides nothing; and what is found once is found again.
settings.register_profile("oryn", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("oryn")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's job in the background begins with Ctrl-C ignored, and every process that a test starts would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    # Of nohup, whose hang-up tests send to what they start. That ends this process no more than before: it is handled.
    signal.signal(signal.SIGHUP, lambda number, frame: None)

Result = TypeVar("Result")
Run = Callable[[Coroutine[Any, Any, Result]], Result]


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.register(layers)  # which has an option of its own


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(time_limits)
    config.pluginmanager.register(command_coverage)
    config.pluginmanager.register(result_types)
    config.pluginmanager.register(prerequisites)
    config.pluginmanager.register(browser_choice)
    config.pluginmanager.register(scheduling)
    config.pluginmanager.register(protocol_trace)
    config.pluginmanager.register(failures)
    config.pluginmanager.register(slowest_files)
    config.pluginmanager.register(suite)


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    """The session's event loop. What is started on it (a browser, a server) lives until the last test."""
    with time_limits.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def run(runner: asyncio.Runner) -> Run[Any]:
    """Run a coroutine to its end on the session's loop and return its value: `run(page.goto(url))`."""
    return runner.run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def test_…` on the session's loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    runner: asyncio.Runner = pyfuncitem._request.getfixturevalue("runner")
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    runner.run(pyfuncitem.obj(**arguments))
    return True
