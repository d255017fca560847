"""Hints for commands that only a host with one caller has: `exit`, `output` and `session NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from oryn.language import Exit, Output, SessionSwitch

SharedHost = Literal["daemon", "mcp"]
"""The hosts that have several callers, each of which names the session with every command."""

_ALTERNATIVES: Mapping[type, Mapping[SharedHost, str]] = {
    Exit: {
        "daemon": "'oryn daemon stop' ends the daemon, 'close' the session.",
        "mcp": "'session close' and a name end a session; the server ends with its client.",
    },
    Output: {
        "daemon": "Each request chooses the form of its own answer.",
        "mcp": "Each answer has both forms.",
    },
    SessionSwitch: {
        "daemon": 'Name the session with each command: --session, or "session" in the request.',
        "mcp": "'@name command' runs a command in another session.",
    },
}


def conversation_alternative(command: type, host: SharedHost) -> str | None:
    """The hint for a caller of `host` that sent a command of this class; None if the command is not one of these."""
    return _ALTERNATIVES.get(command, {}).get(host)
