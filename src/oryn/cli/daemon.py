"""`oryn daemon …`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, SERVING, configured
from oryn.settings import Configuration


@click.group()
def daemon() -> None:
    """The browser service that commands go to."""


@daemon.command()
@configured(*SERVING, *BROWSING)
def serve(configuration: Configuration) -> None:
    """Run the daemon in the foreground."""
    from oryn.daemon.serving import serve

    sys.exit(serve(configuration))
