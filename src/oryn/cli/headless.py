"""`oryn headless`, also installed as `oryn-h`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, configured
from oryn.host.browser import begin_browser
from oryn.settings import Configuration


@click.command()
@configured(*BROWSING)
def headless(configuration: Configuration) -> None:
    """Drive headless Chromium: a prompt on a terminal, the line protocol on pipes."""
    started = begin_browser(configuration)
    if sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty():
        from oryn.host.prompt import run
    else:
        from oryn.host.line_protocol import run
    sys.exit(run(configuration, started))
