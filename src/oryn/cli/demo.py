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
@configured(*BROWSING)
def demo(configuration: Configuration, serve: bool) -> None:
    """Serve a small shop on loopback and drive it, printing the dialogue."""
    from oryn.demo.drive import at_address, example_script, open_shop
    from oryn.host import script

    with open_shop() as shop:
        if serve:
            click.echo(f"the shop is at {shop.url}; Ctrl-C ends it")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()
            return
        lines = script.lines_of(at_address(example_script(), shop))
        code = script.run(configuration, lines, dialogue(configuration))
    sys.exit(code)
