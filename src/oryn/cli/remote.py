"""`oryn remote`, also installed as `oryn-r`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from oryn.cli.flags import GroupedCommand, configured
from oryn.extension_server.server import DEFAULT_PORT, Address
from oryn.hosts.extension_host import ListenOptions, run
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
)
"""The settings that do not depend on the browser."""

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=GroupedCommand)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="TCP port to listen on; 0 picks a free port.",
)
@click.option("--pair", "code", metavar="CODE", help="Pairing code that the extension shows; only for a new pairing.")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--certificate", type=_FILE, help="PEM file with the TLS certificate; required unless the address is loopback."
)
@click.option("--certificate-key", type=_FILE, help="PEM file with the private key, if the certificate file has none.")
@configured(*SETTINGS)
def remote(
    configuration: Configuration,
    port: int,
    code: str | None,
    host: str,
    certificate: Path | None,
    certificate_key: Path | None,
) -> None:
    """Drive the user's own browser.

    The browser connects to this process with the Oryn extension. On a terminal 'oryn remote' shows a prompt; on pipes
    it speaks the line protocol."""
    sys.exit(run(configuration, ListenOptions(Address(port, host, certificate, certificate_key), code)))
