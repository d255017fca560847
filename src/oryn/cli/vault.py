"""`oryn vault`.

A value is read from a hidden prompt or from standard input, and stored in the vault alone. It is never an argument:
other users see the arguments of a program, and shells save them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import STORING, configured
from oryn.errors import InvalidValue
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.vault import Vault


@click.group()
def vault() -> None:
    """Manage secrets for agents.

    An agent uses a secret by its name and never sees its value."""


@vault.command(name="set")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="")
@click.option("--origin", multiple=True, metavar="URL", help="Origin that may receive the secret; repeatable.")
@configured(*STORING)
def store(configuration: Configuration, name: str, more: Sequence[str], origin: Sequence[str]) -> None:
    """Store the secret NAME, such as shop.password.

    Oryn asks for the value, or reads it from standard input. The origins apply to all fields of the entry (shop) until
    you set others."""
    from oryn.vault import split_name

    if more:
        raise InvalidValue(
            "other users can read values on a command line: nothing was stored",
            f"Run 'oryn vault set {name}' and type the value at the prompt, or pass it on standard input.",
        )
    split_name(name)
    origins = [_origin(each) for each in origin]
    _vault(configuration).store(name, _value(name), origins)
    click.echo(f"ok vault set {name}{''.join(f' --origin {each}' for each in origins)}")


@vault.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@configured(*STORING)
def listed(configuration: Configuration, as_json: bool) -> None:
    """List the secrets without their values.

    Columns: name, origins that may receive it, and when it was stored."""
    found = _vault(configuration).listed()
    if as_json:
        click.echo(json.dumps([{"name": one.name, "origins": one.origins, "set": one.set} for one in found], indent=2))
        return
    if not found:
        click.echo("no secrets: 'oryn vault set NAME' stores one")
        return
    from oryn.cli.tables import table

    rows = [(one.name, " ".join(one.origins) or "anywhere", one.set) for one in found]
    table(("name", "goes to", "set"), rows)


@vault.command()
@click.argument("name")
@configured(*STORING)
def delete(configuration: Configuration, name: str) -> None:
    """Delete a secret, or all fields of an entry.

    NAME is the secret, such as shop.password, or the entry, such as shop."""
    _vault(configuration).delete(name)
    click.echo(f"ok vault delete {name}")


def _vault(configuration: Configuration) -> Vault:
    from oryn.vault import Vault

    return Vault(configuration.paths, configuration.settings.vault)


def _value(name: str) -> str:
    if sys.stdin.isatty():
        value: str = click.prompt(f"Value of {name}", hide_input=True, err=True)
        return value
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise InvalidValue("the value is not valid UTF-8", "Nothing was stored.") from None
    # The shell adds one line end; everything else belongs to the value.
    return text.removesuffix("\n").removesuffix("\r")


def _origin(text: str) -> str:
    from oryn.core.urls import origin_of
    from oryn.language.kinds.text import complete_url

    origin = origin_of(complete_url(text))
    if origin is None:
        raise InvalidValue(f"{text} has no origin", "Give one such as https://shop.example.")
    return origin
