"""The files whose tests take longest, with what of it is set-up, at the end of a run that takes minutes; of the layer
`usual` also the tests that take too long for it.

A pytest plugin. pytest's own `--durations` lists single tests, and a file of many short ones is not among them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

MIN_SECONDS = 120.0
"""Of all tests together; a shorter run is not worth a list."""
FILES = 20
USUAL_SECONDS = 4.0
"""A test of the layer `usual` that takes longer without its set-up is listed: it may need the marker `slow`."""


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    seconds: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    preparing: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if not isinstance(report, pytest.TestReport):
                continue
            file = report.nodeid.partition("::")[0]
            seconds[file] += report.duration
            if report.when == "call":
                tests[file] += 1
                calls[report.nodeid] = report.duration
            else:
                preparing[file] += report.duration
    if seconds.total() < MIN_SECONDS:
        return
    terminalreporter.section(f"slowest files, of {seconds.total():.0f} s of all processes")
    for file, taken in seconds.most_common(FILES):
        terminalreporter.line(f"{taken:6.1f} s, set-up {preparing[file]:5.1f} s, {tests[file]:4} tests  {file}")
    longest = [(test, taken) for test, taken in calls.most_common(FILES) if taken > USUAL_SECONDS]
    if longest and config.getoption("--layer") == "usual":
        terminalreporter.section("tests that may need the marker `slow`")
        for test, taken in longest:
            terminalreporter.line(f"{taken:6.1f} s  {test}")
