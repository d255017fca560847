"""`oryn demo`."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.cli.run import dialogue
from oryn.settings import Configuration


@click.command(cls=GroupedCommand)
@click.option("--serve", is_flag=True, help="Only serve the shop until Ctrl-C.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="TCP port of the shop; 0 picks a free port. Default: 4780, or a free port if 4780 is taken.",
)
@configured(*BROWSING)
def demo(configuration: Configuration, serve: bool, port: int | None) -> None:
    """Serve a small demo shop and drive it.

    The shop listens on loopback, and the demo prints the dialogue."""
    from oryn.demo.server import PORT, example_script, open_shop, with_address_of
    from oryn.hosts import script

    with open_shop(port) as shop:
        if serve:
            if port is None and shop.port != PORT:
                click.echo(f"port {PORT} is taken: where examples say localhost:{PORT}, write localhost:{shop.port}")
            click.echo(f"the shop is at {shop.url}; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
            return
        lines = script.lines_of(with_address_of(example_script(), shop))
        code = script.run_script(configuration, lines, dialogue(configuration))
    sys.exit(code)
