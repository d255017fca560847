"""Every command, option, choice and error of the language is run in a real browser by some test. Runs last, and only
when all tests run: what it looks at is what they did."""

from __future__ import annotations

import pytest

from oryn import errors
from oryn.errors import OrynError
from oryn.language.commands import COMMANDS
from tests.exercised import EXERCISED, Exercised, forms

ELSEWHERE = {
    "INTERNAL_ERROR": "a bug: tests/engine provokes one",
    "INVALID_SETTING": "ends the program before there is a session: tests/cli",
    "BROWSER_NOT_FOUND": "tests/host, in a process of its own",
    "SESSION_NOT_ALLOWED": "in processes with limits: tests/host/test_limits.py, tests/daemon/test_session_limits.py",
    "CONFIRMATION_DENIED": "an assistant asks its user: tests/mcp/test_elicitation.py",
    "CONFIRMATION_NOT_FOUND": "no line confirms: tests/headless/test_policy_confirm.py",
    "NO_DISPLAY": "tests/daemon/test_login.py, in a daemon",
    "LOGIN_NOT_DONE": "tests/daemon/test_login.py, in a daemon",
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
    "ACTION_NOT_FOUND": "tests/daemon/test_searching.py: a row that there is not",
    "NOT_REPLAYABLE": "tests/daemon/test_replay.py",
    "DAEMON_NOT_RUNNING": "tests/cli/test_daemon_commands.py",
    "DAEMON_FAILED": "tests/daemon/test_faults.py",
    "DAEMON_ENDING": "tests/daemon/test_faults.py",
    "CANCELLED": "whoever takes a command back hears no more of it: tests/mcp/test_server_cancelling.py",
    "MALFORMED_MESSAGE": "no line: tests/remote/test_messages.py",
    "ANSWER_TOO_LARGE": "tests/extension/test_router.py",
    "PAIRING_REQUIRED": "no line: tests/extension",
    "PAIRING_FAILED": "no line: tests/extension",
    "ENDPOINT_NOT_ALLOWED": "the popup's: tests/extension",
    "STOPPED": "the popup's: tests/extension",
    "NO_ACTIVE_TAB": "the user's own browser: tests/extension/test_tabs.py",
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


@pytest.fixture
def exercised(request: pytest.FixtureRequest) -> Exercised:
    if request.config.stash.get(EXERCISED, None) is None:
        pytest.skip("a part of the tests was chosen")
    return request.config.stash[EXERCISED]


@pytest.mark.browser
def test_every_command_option_and_choice_is_run(exercised: Exercised) -> None:
    every = {form for command in COMMANDS for form in forms(command)}
    missing = sorted(every - exercised.forms)
    assert not missing, ", ".join(missing)


@pytest.mark.browser
def test_every_error_is_answered(exercised: Exercised) -> None:
    codes = {error.code for error in vars(errors).values() if isinstance(error, type) and issubclass(error, OrynError)}
    missing = sorted(codes - exercised.errors - set(ELSEWHERE))
    assert not missing, ", ".join(missing)
