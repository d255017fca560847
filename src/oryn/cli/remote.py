"""`oryn remote`, also installed as `oryn-r`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from oryn.cli.flags import configured
from oryn.host.remote import Serving, run
from oryn.remote.listening import DEFAULT_PORT, Address
from oryn.settings import Configuration

SETTINGS = (
    "session",
    "timeout",
    "strict",
    "observe_limit",
    "settle_limit",
    "files_root",
    "read_only",
    "confirm",
    "boundaries",
    "max_output",
    "output",
    "colour",
)
"""Those of what is no browser's to say."""

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 is any.")
@click.option("--pair", "code", metavar="CODE", help="The code that the extension shows, when it is paired anew.")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--certificate", type=_FILE, help="For TLS, which another address than loopback needs: a PEM file.")
@click.option("--certificate-key", type=_FILE, help="Its key, where that is in a file of its own.")
@configured(*SETTINGS)
def remote(
    configuration: Configuration,
    port: int,
    code: str | None,
    host: str,
    certificate: Path | None,
    certificate_key: Path | None,
) -> None:
    """Drive the user's own browser, which connects here with the Oryn extension: a prompt on a terminal, the line
    protocol on pipes."""
    sys.exit(run(configuration, Serving(Address(port, host, certificate, certificate_key), code)))
