"""Checks that every command, option, choice and error of the language runs in a real browser in some test.

A pytest plugin. Tests may run in several processes (pytest-xdist): each records what its tests run, and the process
that the user started merges the records and checks them when all tests have ended. Nothing is checked if only some of
the tests were selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest

from oryn import errors
from oryn.errors import LanguageError, OrynError, ResearchError
from oryn.errors.recorded_test import RecordedTestError
from oryn.language import Command, Line, parse
from oryn.language.commands import COMMANDS
from oryn.language.help import COMMON_OPTIONS

ELSEWHERE = {
    "INTERNAL_ERROR": "a bug: tests/engine provokes one",
    "INVALID_SETTING": "ends the program before there is a session: tests/cli",
    "BROWSER_UNSUITABLE": "a browser that can't be had: tests/embedded/test_trial.py",
    "BROWSER_NOT_FOUND": "tests/host, in a process of its own",
    "SANDBOX_UNAVAILABLE": "tests/browsers/test_machine_limits.py, in a process of its own",
    "SESSION_NOT_ALLOWED": "in processes with limits: tests/host/test_limits.py, tests/daemon/test_session_limits.py",
    "CONFIRMATION_DENIED": "an assistant asks its user: tests/mcp/test_elicitation.py",
    "CONFIRMATION_NOT_FOUND": "no line confirms: tests/headless/test_policy_confirm.py",
    "NO_DISPLAY": "tests/daemon/test_login.py, in a daemon",
    "VAULT_CODE": "needs a mail server: tests/vault/test_mail_codes.py",
    "LOGIN_NOT_DONE": "tests/daemon/test_login.py, in a daemon",
    "NOTES_FULL": "no line writes a note: tests/daemon/test_person_notes.py",
    "TAKEN_OVER": "tests/daemon/test_takeover.py, in a daemon",
    "CAPTCHA_NOT_SOLVED": "tests/daemon/test_captcha.py, in a daemon",
    "CAPTCHA_NOT_CONFIGURED": "tests/daemon/test_captcha.py, in a daemon",
    "INVALID_REQUEST": "tests/daemon/test_limits.py: a request that is none",
    "PROTOCOL_MISMATCH": "tests/daemon/test_limits.py",
    "REQUEST_TOO_LARGE": "tests/daemon/test_limits.py",
    "TOO_MANY_COMMANDS": "tests/daemon/test_limits.py",
    "TOO_MANY_CONNECTIONS": "tests/daemon/test_limits.py",
    "NO_SUCH_ADDRESS": "tests/daemon/test_limits.py",
    "SESSION_LIMIT": "tests/daemon/test_limits.py",
    "UNAUTHORIZED": "tests/daemon/test_access.py",
    "FORBIDDEN_ORIGIN": "tests/daemon/test_access.py",
    "PROVIDER_UNAVAILABLE": "needs a Selenium Grid: tests/providers/test_grid.py",
    "QUEUE_TIMED_OUT": "needs providers: tests/providers",
    "RECORDS_UNAVAILABLE": "a database that is away: tests/records",
    "SESSION_MOVED": "several daemons with the same records: tests/records/test_cluster.py",
    "TOKEN_SCOPE": "tests/daemon/test_tokens.py",
    "RATE_LIMITED": "tests/daemon/test_tokens.py",
    "ACTION_NOT_FOUND": "tests/daemon/test_history_query.py: a row that there is not",
    "NOT_REPLAYABLE": "tests/daemon/test_replay.py",
    "DAEMON_NOT_RUNNING": "tests/cli/test_daemon_commands.py",
    "DAEMON_FAILED": "tests/daemon/test_faults.py",
    "DAEMON_ENDING": "tests/daemon/test_faults.py",
    "CANCELLED": "whoever takes a command back hears no more of it: tests/mcp/test_cancellation.py",
    "MALFORMED_MESSAGE": "no line: tests/remote/test_messages.py",
    "ANSWER_TOO_LARGE": "tests/extension/test_router.py",
    "PAIRING_REQUIRED": "no line: tests/extension",
    "PAIRING_FAILED": "no line: tests/extension",
    "ENDPOINT_NOT_ALLOWED": "the popup's: tests/extension",
    "STOPPED": "the popup's: tests/extension",
    "NO_ACTIVE_TAB": "the user's own browser: tests/extension/test_tabs.py",
    "SCANNER_FAILED": "no page that is known makes it fail: tests/headless/test_scanner_failure.py",
    "SCANNER_NOT_READY": "the user's own browser: tests/extension/test_failures.py",
    "ENGINE_NOT_FOUND": "a client library's: tests/clients/test_python.py",
    "ENGINE_FAILED": "a client library's: tests/clients/test_python.py",
    "CONNECTION_LOST": "a client library's: tests/clients/test_python.py",
    "NOT_CONNECTED": "a client library's: tests/clients/test_python.py",
    "NO_ANSWER": "a client library's: tests/clients/test_python.py",
    "MODEL_UNREACHABLE": "no line: tests/models",
    "MODEL_UNAUTHORIZED": "no line: tests/models",
    "MODEL_NOT_FOUND": "no line: tests/models",
    "MODEL_RATE_LIMITED": "no line: tests/models",
    "CONTEXT_TOO_LONG": "no line: tests/models",
    "MODEL_FAILED": "no line: tests/models",
    "MODEL_REFUSED": "an agent's: tests/headless/test_agent_run.py",
    "AGENT_STUCK": "an agent's: tests/headless/test_agent_run.py",
    "STEP_LIMIT": "an agent's: tests/headless/test_agent_run.py",
    "TRANSCRIPT_ERROR": "an agent's: tests/host/agent/test_transcript.py",
}
"""Errors that no line can bring about, and where they are tested."""


@dataclass
class CommandCoverage:
    forms: set[str] = field(default_factory=set)
    """As `forms` names them."""
    errors: set[str] = field(default_factory=set)
    """Codes."""

    def note(self, line: str | Line, answer: Any) -> None:
        with suppress(LanguageError):
            if command := (parse(line) if isinstance(line, str) else line).command:
                self.forms.update(used(command))
        if answer.error is not None:
            self.errors.add(answer.error.code)

    def missing(self) -> tuple[list[str], list[str]]:
        """The forms that no test ran, and the codes of errors that no test caused."""
        every = {form for command in COMMANDS for form in forms(command)}
        tree = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, OrynError)]
        # No line of a session brings those about: tests/research, tests/testing.
        codes = {each.code for each in tree if not issubclass(each, ResearchError | RecordedTestError)}
        return sorted(every - self.forms), sorted(codes - self.errors - set(ELSEWHERE))


COVERAGE = pytest.StashKey[CommandCoverage]()


def forms(command: type[Command]) -> Iterator[str]:
    """What there is to be run: the command or each choice of its first argument, and each option of its own."""
    spec = command.spec
    yield from (f"{spec.name} {word}" for word in spec.choice) if spec.choice else [spec.name]
    yield from (f"{spec.name} --{option}" for option in spec.options if option not in COMMON_OPTIONS)


def used(command: Command) -> Iterator[str]:
    """Those that one command is."""
    spec = command.spec
    yield f"{spec.name} {getattr(command, spec.arguments[0].name)}" if spec.choice else spec.name
    for name, option in spec.options.items():
        value = getattr(command, option.name)
        if value is not None and value is not False:  # 0 is given
            yield f"{spec.name} --{name}"


@contextmanager
def recording(record: CommandCoverage) -> Iterator[None]:
    """Record every line that a session with a real browser runs, where the sessions receive it."""
    from oryn.browsers.chromium import ChromiumBrowser
    from oryn.engine import Session
    from oryn.sessions.sessions import Sessions

    def recorded(original: Any, in_browser: Any) -> Any:
        async def execute(self: Any, line: str | Line, *rest: Any, **more: Any) -> Any:
            answer = await original(self, line, *rest, **more)
            if in_browser(self):
                record.note(line, answer)
            return answer

        return execute

    with (
        patch.object(
            Session, "execute", recorded(Session.execute, lambda self: isinstance(self.browser, ChromiumBrowser))
        ),
        patch.object(Sessions, "execute", recorded(Sessions.execute, lambda _: True)),
    ):
        yield


# --- the plugin ---


def pytest_configure(config: pytest.Config) -> None:
    chosen = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    worker = getattr(config, "workerinput", None)
    if worker["checks_coverage"] if worker is not None else not (chosen or _selects(config)):
        config.stash[COVERAGE] = CommandCoverage()


def _selects(config: pytest.Config) -> bool:
    option = config.option
    selected = option.keyword or option.markexpr or option.layer not in ("thorough", "all")
    return bool(selected or getattr(option, "deselect", None) or option.collectonly)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker can't see what the user selected: its arguments are always the paths of tests."""
    node.workerinput["checks_coverage"] = COVERAGE in node.config.stash


@pytest.fixture(scope="session", autouse=True)
def recorded_commands(request: pytest.FixtureRequest) -> Iterator[None]:
    record = request.config.stash.get(COVERAGE, None)
    if record is None:
        yield
    else:
        with recording(record):
            yield


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    record = node.config.stash.get(COVERAGE, None)
    if record is not None:
        found = getattr(node, "workeroutput", {}).get("coverage", {"forms": [], "errors": []})
        record.forms.update(found["forms"])
        record.errors.update(found["errors"])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    record = session.config.stash.get(COVERAGE, None)
    if record is None:
        return
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["coverage"] = {"forms": sorted(record.forms), "errors": sorted(record.errors)}
    elif exitstatus == pytest.ExitCode.OK and any(record.missing()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Print what no test ran. With workers all of them have ended now."""
    record = config.stash.get(COVERAGE, None)
    if record is None or exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    for kind, missing in zip(("commands, options and choices", "errors"), record.missing(), strict=True):
        if missing:
            terminalreporter.section(f"{kind} that no test runs in a browser", red=True)
            terminalreporter.line(", ".join(missing))
