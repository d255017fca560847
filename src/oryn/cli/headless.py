"""`oryn headless`, also installed as `oryn-h`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.hosts.headless import run
from oryn.settings import Configuration


@click.command(cls=GroupedCommand)
@configured(*BROWSING)
def headless(configuration: Configuration) -> None:
    """Drive headless Chromium.

    On a terminal it shows a prompt; on pipes it speaks the line protocol."""
    sys.exit(run(configuration))
