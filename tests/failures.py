"""Names each failure when it happens, with the end of its traceback: a run that is stopped from outside prints no
summary. At the end of a run, lists the tests that failed at first and passed when they ran again (`--reruns`).

A pytest plugin. Each test in that list is a bug, in the test or in Oryn: the list is empty before a change is done."""

from __future__ import annotations

from typing import Any

import pytest

TRACEBACK_LINES = 12


class FailureReporter:
    """Prints a failure when it happens, in the process that prints the progress."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self.terminal = terminal

    @pytest.hookimpl(trylast=True)  # after the letter of the test
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome in ("failed", "rerun"):
            self.terminal.ensure_newline()
            lines = report.longreprtext.splitlines()[-TRACEBACK_LINES:]
            self.terminal.write_line(
                "\n".join([f"{report.outcome} at {report.when}: {report.nodeid}", *lines]), red=True
            )


def pytest_sessionstart(session: pytest.Session) -> None:
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:  # a worker of pytest-xdist has none
        session.config.pluginmanager.register(FailureReporter(terminal))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    passed = {report.nodeid for report in terminalreporter.stats.get("passed", ())}
    again = sorted({report.nodeid for report in terminalreporter.stats.get("rerun", ())} & passed)
    if again:
        terminalreporter.section("passed only the second time", yellow=True)
        for each in again:
            terminalreporter.line(each)
