"""`oryn embedded` and `oryn playwright`: sessions of one backend, with the prompt on a terminal, else the line
protocol."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from oryn.hosts.browser_factory import begin_webkit

if TYPE_CHECKING:
    from oryn.settings import Configuration
    from oryn.settings.types import Backend

ENGINES: dict[Backend, str] = {"embedded": "oryn-e", "playwright": "oryn-p"}
"""The name that the engine of each backend gives itself."""


def run(configuration: Configuration, backend: Backend) -> int:
    """Serve until the end; return the exit code. Raises `ConfigurationError` for settings that the backend can't
    apply."""
    webkit = begin_webkit(configuration) if backend == "embedded" else None
    import asyncio

    from oryn.hosts.session_factory import open_sessions
    from oryn.system.logs import log_to_standard_error

    log_to_standard_error(configuration.settings.log_level, configuration.settings.log_format)
    opener = open_sessions(configuration, webkit=webkit, backend=backend)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.hosts.prompt import converse

        return asyncio.run(converse(configuration, opener, ENGINES[backend]))
    from oryn.hosts.line_protocol import converse as speak

    return asyncio.run(speak(opener, ENGINES[backend]))
