"""`oryn pairings …`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import configured
from oryn.cli.tables import table
from oryn.errors import ConfigurationError

if TYPE_CHECKING:
    from oryn.extension_server.keys import KeyStore
    from oryn.settings import Configuration


@click.group()
def pairings() -> None:
    """Manage the browsers that are paired.

    'oryn remote', the daemon and client libraries pair with a browser by a code."""


@pairings.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@configured()
def list_pairings(configuration: Configuration, as_json: bool) -> None:
    """List the paired browsers.

    Columns: name of the key, browser, date of pairing, last use, and the port for which the key is valid."""
    found = _keys(configuration).all()
    if as_json:
        data = [{name: value for name, value in each.values().items() if name != "secret"} for each in found]
        click.echo(json.dumps(data, indent=2))
    elif found:
        rows = [(each.id, each.browser, each.since, each.last_used, str(each.port or "")) for each in found]
        table(("key", "browser", "since", "last used", "port"), rows)
    else:
        click.echo("No browser is paired. 'oryn remote --pair CODE' or 'oryn daemon pair CODE' pairs one.")


@pairings.command()
@click.argument("key", required=False)
@click.option("--all", "every", is_flag=True, help="Remove every pairing.")
@configured()
def revoke(configuration: Configuration, key: str | None, every: bool) -> None:
    """Remove the pairing KEY.

    That browser needs a new code when it connects again. Open connections stay open."""
    if (key is None) is not every:
        raise click.UsageError("Give the KEY as 'oryn pairings list' shows it, or --all.")
    gone = _keys(configuration).revoke(key)
    if not gone and key is not None:
        raise ConfigurationError(f"no pairing has the key {key}", "'oryn pairings list' shows them.")
    click.echo(f"forgotten: {', '.join(each.id for each in gone)}" if gone else "No browser is paired.")


def _keys(configuration: Configuration) -> KeyStore:
    from oryn.extension_server.keys import KeyStore

    return KeyStore(configuration.paths.remote_keys)
