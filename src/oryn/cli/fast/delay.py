"""What a command that has no answer yet waits for: another command of its session, a person, or the daemon.

Only a command that takes long imports this. A person at a terminal also learns that the command itself runs; an agent
does not, as that would cost tokens."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from oryn.cli.daemon_client import DaemonClient
from oryn.daemon.instance import DaemonInstance
from oryn.errors import OrynError
from oryn.system.paths import find

if TYPE_CHECKING:
    from oryn.cli.fast.main import VerbRequest

STATUS_SECONDS = 0.4
"""Seconds within which a daemon that is not blocked reports its state."""
_CANCEL = "Ctrl-C cancels this one"


def waiting_notice(request: VerbRequest, sent: float) -> str | None:
    """A line for standard error about a command that was sent at `sent` (`time.monotonic`); None if there is nothing to
    report."""
    try:
        status = DaemonClient(DaemonInstance(find())).status(STATUS_SECONDS)
    except OrynError:
        return f"waiting for the daemon, which does not answer ({_CANCEL})"
    age, name = time.monotonic() - sent, _session(request)
    session = next((each for each in status["sessions"] if each["name"] == name), {})
    if since := session.get("taken_over"):
        return f"waiting for a person, who has had the session {name} since {since} ({_CANCEL})"
    first = next(iter(session.get("queue", ())), None)
    if first and first["seconds"] > age:
        return f"waiting for '{first['action']}' of {first['seconds']:.1f} s ago in the session {name} ({_CANCEL})"
    return f"'{request.words[0]}' is running (Ctrl-C cancels it)" if sys.stderr.isatty() else None


def _session(request: VerbRequest) -> str:
    """The session of the command, which an option behind the verb may name too."""
    words = iter(request.words)
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--session":
            return value if equals else next(words, request.session)
    return request.session
