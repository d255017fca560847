"""`oryn playwright`, also installed as `oryn-p`."""

from __future__ import annotations

import sys

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.hosts.backend_engine import run
from oryn.settings import Configuration
from oryn.settings.types import PLAYWRIGHT_ENGINE


@click.command(cls=GroupedCommand)
@click.option(
    "--engine",
    metavar=PLAYWRIGHT_ENGINE.metavar,
    help="The same as --playwright-engine.",
    shell_complete=lambda _, __, prefix: [each for each in PLAYWRIGHT_ENGINE.choices if each.startswith(prefix)],
)
@configured(*BROWSING)
def playwright(configuration: Configuration, engine: str | None) -> None:
    """Drive a browser with Playwright.

    It can be a browser on this computer, a build of Playwright's, or one on a Playwright server. On a terminal it shows
    a prompt; on pipes it speaks the line protocol. docs/playwright-differences.md lists what it answers differently
    from 'oryn headless'."""
    chosen = configuration if engine is None else configuration.with_settings({"playwright_engine": engine})
    sys.exit(run(chosen, "playwright"))
