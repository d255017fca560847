"""`oryn version`."""

from __future__ import annotations

import click

from oryn import PROTOCOL_VERSION, __version__


def text() -> str:
    """The version of Oryn and of the daemon's protocol, as one line."""
    return f"oryn {__version__} (protocol {PROTOCOL_VERSION})"


@click.command()
def version() -> None:
    """Print the version of Oryn."""
    click.echo(text())
