"""What a command that has no answer yet waits for: another command of its session, a person, or the daemon.

Only a command that takes long imports this. A person at a terminal also learns that the command itself runs; an agent
does not, as that would cost tokens."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from oryn.daemon_client.client import DaemonClient
from oryn.errors import OrynError
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

STATUS_SECONDS = 0.4
"""Seconds within which a daemon that is not blocked reports its state."""
_CANCEL = "Ctrl-C cancels this one"


def delay_notice(words: Sequence[str], session: str, sent: float) -> str | None:
    """A line for standard error about a command that has no answer yet; None if there is nothing to report.

    words: the words of the command, with its options.
    session: the session that the options before it name, or the environment.
    sent: when it was sent, or shortly before (`time.monotonic`): the daemon must count less for this command."""
    try:
        status = DaemonClient(DaemonInstance(find())).status(STATUS_SECONDS)
    except OrynError:
        return f"waiting for the daemon, which does not answer ({_CANCEL})"
    age, name = time.monotonic() - sent, _session_of(words, session)
    about: dict[str, Any] = next((each for each in status["sessions"] if each["name"] == name), {})
    if since := about.get("taken_over"):
        return f"waiting for a person, who has had the session {name} since {since} ({_CANCEL})"
    first = next(iter(about.get("queue", ())), None)
    if first and first["seconds"] > age:
        return f"waiting for '{first['action']}' of {first['seconds']:.1f} s ago in the session {name} ({_CANCEL})"
    return f"'{words[0]}' is running (Ctrl-C cancels it)" if sys.stderr.isatty() else None


def _session_of(words: Sequence[str], session: str) -> str:
    """The session of the command, which an option behind the verb may name too."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--session":
            return value if equals else next(rest, session)
    return session
