"""`oryn vault`.

A value is read from a hidden prompt or from standard input, and stored in the vault alone. It is never an argument:
other users see the arguments of a program, and shells save them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.flags import STORING, configured
from oryn.cli.vault_options import open_vault, option_text, origins_of
from oryn.cli.vault_passkeys import passkey
from oryn.errors import InvalidValue
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.vault import SecretListing

ORIGIN = click.option("--origin", multiple=True, metavar="URL", help="Origin that may receive the secret; repeatable.")


@click.group()
def vault() -> None:
    """Manage secrets for agents.

    An agent uses a secret by its name and never sees its value."""


@vault.command(name="set")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="")
@ORIGIN
@click.option("--totp", is_flag=True, help="The value is a key in base32, or an otpauth URI: pages get its codes.")
@click.option("--algorithm", type=click.Choice(("sha1", "sha256", "sha512")), help="Algorithm of a base32 key's codes.")
@click.option("--digits", type=int, help="Digits of a base32 key's codes: 6 to 8.")
@click.option("--period", type=int, metavar="SECONDS", help="How long a code of a base32 key is valid.")
@click.option("--qr", type=click.Path(path_type=Path, dir_okay=False), help="Picture of a QR code that has the key.")
@configured(*STORING)
def store(
    configuration: Configuration,
    name: str,
    more: Sequence[str],
    origin: Sequence[str],
    totp: bool,
    qr: Path | None,
    **parameters: Any,
) -> None:
    """Store the secret NAME, such as shop.password, or the key of one-time passwords, such as shop.totp.

    Oryn asks for the value, or reads it from standard input. An otpauth URI, and what a field called totp gets, is the
    key of one-time passwords. The origins apply to all fields of the entry (shop) until you set others."""
    from oryn.vault import split_name
    from oryn.vault.key_input import one_time_password_of

    if more:
        raise InvalidValue(
            "other users can read values on a command line: nothing was stored",
            f"Run 'oryn vault set {name}' and type the value at the prompt, or pass it on standard input.",
        )
    split_name(name)
    options = {key: value for key, value in parameters.items() if value is not None}
    value = _read_picture(qr) if qr else ask_value(name)
    key = one_time_password_of(name, value, forced=totp or bool(options) or qr is not None, **options)
    origins = origins_of(origin)
    if key is None:
        open_vault(configuration).store(name, value, origins)
    else:
        open_vault(configuration).store_one_time_password(name, key, origins)
    click.echo(f"ok vault set {name}{option_text(origins)}{f': {key}' if key else ''}")


def _read_picture(file: Path) -> str:
    from oryn.vault.key_input import read_qr_code

    return read_qr_code(file)


@vault.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@configured(*STORING)
def listed(configuration: Configuration, as_json: bool) -> None:
    """List the secrets without their values, the allowed sources, and the mail accounts.

    Columns: name, what it is, origins that may receive it, and when it was stored."""
    found = open_vault(configuration).listed()
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
        return
    if not found:
        click.echo("no secrets: 'oryn vault set NAME' stores one")
        return
    from oryn.cli.tables import table

    rows = [(one.name, one.kind, _destination(one), one.set) for one in found]
    table(("name", "kind", "goes to", "set"), rows)


def _destination(one: SecretListing) -> str:
    return " ".join(one.origins) or ("nowhere" if one.name.startswith("mail:") else "anywhere")


@vault.command()
@click.argument("name")
@configured(*STORING)
def delete(configuration: Configuration, name: str) -> None:
    """Delete a secret, all fields of an entry, a source, or a mail account.

    NAME is the secret, such as shop.password, the entry, such as shop, or what 'oryn vault list' calls the others."""
    open_vault(configuration).delete(name)
    click.echo(f"ok vault delete {name}")


@vault.command()
@click.argument("reference")
@ORIGIN
@configured(*STORING)
def source(configuration: Configuration, reference: str, origin: Sequence[str]) -> None:
    """Allow agents to use secrets of a password manager.

    REFERENCE is the beginning of what they may write: op://vault/item for 1Password, bw:item for Bitwarden, pass:path
    for pass. Its secrets only go to the origins."""
    from oryn.vault.sources import parse_reference

    allowed, origins = parse_reference(reference), origins_of(origin)
    open_vault(configuration).allow_source(allowed, origins)
    click.echo(f"ok vault source {allowed}{option_text(origins)}")


@vault.command()
@click.argument("account")
@click.option("--server", required=True, metavar="HOST[:PORT]", help="IMAP server; it must speak TLS. Port: 993.")
@click.option("--user", required=True, help="User at the server, usually the mail address.")
@click.option("--folder", default="INBOX", help="Folder that receives the codes.  [default: INBOX]")
@click.option(
    "--ca", type=click.Path(path_type=Path, dir_okay=False), help="Certificates (PEM) that sign the server's."
)
@configured(*STORING)
def mail(configuration: Configuration, account: str, server: str, user: str, folder: str, ca: Path | None) -> None:
    """Store the mail account ACCOUNT, to which sites send codes.

    Oryn asks for its password, or reads it from standard input. It only reads the folder, and marks nothing as read."""
    from oryn.vault.entries import is_part
    from oryn.vault.mail_settings import IMAPS_PORT, MailAccount

    host, _, port = server.partition(":")
    number = int(port) if port.isdecimal() else 0 if port else IMAPS_PORT
    if not host or not 0 < number < 65536:
        raise InvalidValue(f"not a server: {server[:60]!r}", "Give a host, and a port if it is not 993.")
    if not is_part(account):
        raise InvalidValue(f"not a name: {account[:60]!r}", "Letters, digits, _ and -.")
    if not (password := ask_value(f"the password of {user}")):
        raise InvalidValue("the password is empty", "Nothing was stored.")
    authority = str(ca.absolute()) if ca else ""
    open_vault(configuration).store_mail_account(MailAccount(account, host, user, password, number, folder, authority))
    click.echo(f"ok vault mail {account} --server {server} --user {user}")


@vault.command(name="mail-code")
@click.argument("name")
@click.option("--account", required=True, help="Mail account, as 'oryn vault mail' stored it.")
@click.option(
    "--from", "senders", multiple=True, metavar="ADDRESS", help="Who sends the codes; repeatable, @domain too."
)
@click.option("--pattern", default="", metavar="REGEX", help="What the code looks like, if Oryn does not find it.")
@ORIGIN
@configured(*STORING)
def mail_code(
    configuration: Configuration, name: str, account: str, senders: Sequence[str], pattern: str, origin: Sequence[str]
) -> None:
    """Store that NAME, such as shop.mail-code, is the code in the next message of a sender."""
    from oryn.vault.mail_settings import checked_mail_code

    code, origins = checked_mail_code(account, tuple(senders), pattern), origins_of(origin)
    open_vault(configuration).store_mail_code(name, code, origins)
    click.echo(f"ok vault mail-code {name}{option_text(origins)}: {code}")


@vault.command(name="test")
@click.argument("name")
@configured(*STORING)
def test_secret(configuration: Configuration, name: str) -> None:
    """Try a secret, a source or a mail account without showing it.

    NAME is that of a secret, a reference such as op://vault/item/field, or mail: and the name of an account. No code is
    used up. The clock is compared with that of the site, whose server is asked for its start page."""
    from oryn.vault.trial import try_secret

    click.echo(f"ok vault test {name}: {asyncio.run(try_secret(open_vault(configuration), name))}")


def ask_value(name: str) -> str:
    """Return a secret from a hidden prompt, or from standard input. Raises `InvalidValue`."""
    if sys.stdin.isatty():
        value: str = click.prompt(f"Value of {name}", hide_input=True, err=True)
        return value
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise InvalidValue("the value is not valid UTF-8", "Nothing was stored.") from None
    # The shell adds one line end; everything else belongs to the value.
    return text.removesuffix("\n").removesuffix("\r")


vault.add_command(passkey)
