"""`oryn headless`, also installed as `oryn-h`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, configured
from oryn.host.headless import run
from oryn.settings import Configuration


@click.command()
@configured(*BROWSING)
def headless(configuration: Configuration) -> None:
    """Drive headless Chromium: a prompt on a terminal, the line protocol on pipes."""
    sys.exit(run(configuration))
