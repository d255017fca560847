"""`oryn headless`: starts the browser, then runs the prompt if on a terminal, else the line protocol.

Its command line consists of settings only, so parsing it rarely needs a framework. The browser therefore starts a fifth
sooner."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.hosts.browser_factory import begin_browser

if TYPE_CHECKING:
    from oryn.settings import Configuration


def run(configuration: Configuration) -> int:
    """Serve until the end; return the exit code."""
    started = begin_browser(configuration)
    from oryn.system.logs import log_to_standard_error

    log_to_standard_error(configuration.settings.log_level, configuration.settings.log_format)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.hosts.prompt import run
    else:
        from oryn.hosts.line_protocol import run
    return run(configuration, started)


def plain_configuration(words: Sequence[str]) -> Configuration | None:
    """The configuration for `oryn headless` with these words.

    None if the full command-line parser has to read them (`--help`, a mistake). Raises `ConfigurationError`."""
    from oryn.settings import BROWSING, EVERYWHERE, load
    from oryn.settings.flags import flags_of, parse_flags
    from oryn.system import paths

    flags = parse_flags(words, flags_of((*BROWSING, *EVERYWHERE)))
    return None if flags is None else load(flags, paths.find())
