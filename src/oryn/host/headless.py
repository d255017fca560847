"""`oryn headless`: begin the browser, then speak as whoever is there wants: a prompt, or the line protocol.

Its command line is nothing but settings, so it mostly needs no framework to be read: the browser is begun a fifth
sooner."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.host.browser import begin_browser

if TYPE_CHECKING:
    from oryn.settings import Configuration


def run(configuration: Configuration) -> int:
    """Serve until the end; the exit code."""
    started = begin_browser(configuration)
    from oryn.logs import log_to_standard_error

    log_to_standard_error(configuration.settings.log_level)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.host.prompt import run
    else:
        from oryn.host.line_protocol import run
    return run(configuration, started)


def plain_configuration(words: Sequence[str]) -> Configuration | None:
    """What `oryn headless` with these words is to run with; None where they want a closer reading (`--help`, a
    mistake).

    Raises `ConfigurationError`."""
    from oryn import paths
    from oryn.plain_flags import all_of, flags_of
    from oryn.settings import BROWSING, EVERYWHERE, load

    given = all_of(words, flags_of((*BROWSING, *EVERYWHERE)))
    return None if given is None else load(given, paths.find())
