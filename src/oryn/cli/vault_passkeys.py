"""`oryn vault passkey`: the passkeys that sessions with `--passkey NAME` use and add to.

Their private keys never leave the vault and the browsers of these sessions, so nothing here reads or prints one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import click

from oryn.cli.flags import STORING, configured
from oryn.cli.vault_options import open_vault, option_text, origins_of
from oryn.errors import InvalidValue
from oryn.settings import Configuration


@click.group()
def passkey() -> None:
    """Manage the passkeys of sessions with --passkey NAME.

    Pages of such a session make and use passkeys without a person. They are for accounts that an agent registers or
    tests; passkeys that a person has elsewhere can't be brought here."""


@passkey.command()
@click.argument("name")
@click.option("--origin", multiple=True, metavar="URL", help="Site whose passkeys are used; repeatable.")
@configured(*STORING)
def add(configuration: Configuration, name: str, origin: Sequence[str]) -> None:
    """Let sessions keep passkeys under NAME, for the sites of these origins.

    A later one adds origins. The passkeys themselves are made by the sites, when a session registers there."""
    from oryn.settings.types import SESSION
    from oryn.vault.passkeys import add_origins

    try:
        SESSION.read(name)
    except ValueError:
        raise InvalidValue(f"not a name of passkeys: {name[:60]!r}", f"Give {SESSION.description}.") from None
    origins = add_origins(open_vault(configuration).content_file, name, origins_of(origin))
    click.echo(f"ok vault passkey add {name}{option_text(origins)}")


@passkey.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@configured(*STORING)
def listed(configuration: Configuration, as_json: bool) -> None:
    """List the passkeys without their keys.

    Columns: name and id, the relying party with the user's name there, the sites of the name, when it was made and last
    used. A passkey of another site was made by a page, but is not used unless its origin is added."""
    from oryn.vault.passkeys import list_passkeys

    found = list_passkeys(open_vault(configuration).content_file)
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], indent=2))
        return
    if not found:
        click.echo("no passkeys: 'oryn vault passkey add NAME --origin URL' lets sessions keep them")
        return
    from oryn.cli.tables import table

    rows = [
        (
            f"{each.name} {each.id}".strip(),
            " ".join(filter(None, (each.user, each.relying_party))) + ("" if each.usable else " (not used)"),
            " ".join(each.origins),
            each.created,
            each.used,
        )
        for each in found
    ]
    table(("name", "user", "sites", "made", "used"), rows)


@passkey.command()
@click.argument("name")
@click.argument("id", default="")
@configured(*STORING)
def delete(configuration: Configuration, name: str, id: str) -> None:
    """Delete the passkey of NAME whose ID is listed, or all of NAME.

    Sessions that are open keep using it until they are closed. The account at the site keeps its public key."""
    from oryn.vault.passkeys import delete_passkeys

    delete_passkeys(open_vault(configuration).content_file, name, id)
    click.echo(f"ok vault passkey delete {name}{id and f' {id}'}")
