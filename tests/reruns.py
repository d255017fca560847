"""The list of tests that failed at first and passed when they ran again (`--reruns`), at the end of a run.

A pytest plugin. Each is a bug, in the test or in Oryn: the list is empty before a change is done."""

from __future__ import annotations

from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    passed = {report.nodeid for report in terminalreporter.stats.get("passed", ())}
    again = sorted({report.nodeid for report in terminalreporter.stats.get("rerun", ())} & passed)
    if again:
        terminalreporter.section("passed only the second time", yellow=True)
        for each in again:
            terminalreporter.line(each)
