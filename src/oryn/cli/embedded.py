"""`oryn embedded`, also installed as `oryn-e`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.hosts.backend_engine import run
from oryn.settings import Configuration
from oryn.settings.types import WEBKIT_ENGINE


@click.command(cls=GroupedCommand)
@click.option(
    "--engine",
    metavar=WEBKIT_ENGINE.metavar,
    help="The same as --webkit-engine.",
    shell_complete=lambda _, __, prefix: [each for each in WEBKIT_ENGINE.choices if each.startswith(prefix)],
)
@configured(*BROWSING)
def embedded(configuration: Configuration, engine: str | None) -> None:
    """Drive WebKit instead of Chromium.

    On a terminal it shows a prompt; on pipes it speaks the line protocol. Some commands are not supported, such as pdf
    and intercept; docs/embedded-differences.md lists them."""
    chosen = configuration if engine is None else configuration.with_settings({"webkit_engine": engine})
    sys.exit(run(chosen, "embedded"))
