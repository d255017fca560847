"""`oryn demo`."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

import click

from oryn.cli.flags import BROWSING, configured
from oryn.cli.run import dialogue
from oryn.settings import Configuration


@click.command()
@click.option("--serve", is_flag=True, help="Only serve the shop, until Ctrl-C.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help="Serve it at this port and no other; 0 is any that is free. Default: 4780, or a free one if that is taken.",
)
@configured(*BROWSING)
def demo(configuration: Configuration, serve: bool, port: int | None) -> None:
    """Serve a small shop on loopback and drive it, printing the dialogue."""
    from oryn.demo.drive import at_address, example_script, open_shop
    from oryn.demo.server import PORT
    from oryn.host import script

    with open_shop(port) as shop:
        if serve:
            if port is None and shop.port != PORT:
                click.echo(f"port {PORT} is taken: where examples say localhost:{PORT}, write localhost:{shop.port}")
            click.echo(f"the shop is at {shop.url}; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
            return
        lines = script.lines_of(at_address(example_script(), shop))
        code = script.run(configuration, lines, dialogue(configuration))
    sys.exit(code)
