"""`oryn token …`: tokens for programs that reach a daemon from elsewhere, and the audit log."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import configured
from oryn.cli.tables import table
from oryn.errors import ConfigurationError, FileError, InvalidValue

if TYPE_CHECKING:
    from oryn.settings import Configuration

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@click.group()
def token() -> None:
    """Manage the tokens of programs that reach the daemon from elsewhere.

    Each has a name, scopes, and perhaps limits and an end. A running daemon sees each change at once."""


@token.command()
@click.argument("name")
@click.option("--scope", default="see,act", show_default=True, metavar="SCOPES", help="What it allows, with , between.")
@click.option("--rate", default=0, type=click.IntRange(min=0), help="Requests a minute.  [default: no limit]")
@click.option(
    "--sessions", default=0, type=click.IntRange(min=0), help="Sessions that may be open at once.  [default: no limit]"
)
@click.option(
    "--domain", multiple=True, metavar="HOST", help="A host that its sessions may use; repeatable.  [default: any]"
)
@click.option("--expires", metavar="TIME", help="When it ends: 12h, 30d, 4w.  [default: never]")
@configured("tokens", "records")
def create(
    configuration: Configuration,
    name: str,
    scope: str,
    rate: int,
    sessions: int,
    domain: tuple[str, ...],
    expires: str | None,
) -> None:
    """Create the token NAME and print it, once.

    Oryn stores only its SHA-256. A token of the same name ends. With --sessions or --domain, the token has sessions of
    its own, and none of the others."""
    from oryn.daemon.access.gate import access_records
    from oryn.daemon.access.principals import OWNER, TokenLimits
    from oryn.daemon.access.tokens import Token, check_name, hash_of, new_token, parse_domains, parse_scopes

    secret, now = new_token(), datetime.now(UTC)
    try:
        scopes = parse_scopes([each.strip() for each in scope.split(",")])
        limits = TokenLimits(rate, sessions, parse_domains(domain))
        created = Token(check_name(name), hash_of(secret), scopes, limits, _text(now), _end(expires, now))
    except ValueError as error:
        raise InvalidValue(str(error), "Nothing was created.") from None
    described = f"created: {', '.join(sorted(scopes))}; {limits}; until {created.expires or 'it is revoked'}"
    with access_records(configuration) as records:
        records.tokens.put(created)
        records.audit.change(OWNER.name, "", "token", name, described)
    click.echo(secret)


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@configured("tokens", "records")
def list_tokens(configuration: Configuration, as_json: bool) -> None:
    """List the tokens.

    Columns: name, scopes, requests a minute, sessions at once, domains, when it was created, and when it ends."""
    from oryn.daemon.access.gate import access_records
    from oryn.daemon.access.tokens import token_data

    with access_records(configuration) as records:
        found = records.tokens.all()
    if as_json:
        data = [{key: value for key, value in token_data(each).items() if key != "sha256"} for each in found]
        click.echo(json.dumps(data, indent=2))
    elif found:
        rows = [
            (
                each.name,
                " ".join(sorted(each.scopes)),
                str(each.limits.rate or ""),
                str(each.limits.sessions or ""),
                " ".join(each.limits.domains),
                each.created,
                f"{each.expires or ''}{' (expired)' if each.has_expired() else ''}",
            )
            for each in found
        ]
        table(("token", "scopes", "rate", "sessions", "domains", "created", "expires"), rows)
    else:
        click.echo("No token but the daemon's own. 'oryn token create NAME' makes one.")


@token.command()
@click.argument("name")
@configured("tokens", "records")
def revoke(configuration: Configuration, name: str) -> None:
    """End the token NAME at once."""
    from oryn.daemon.access.gate import access_records
    from oryn.daemon.access.principals import OWNER

    with access_records(configuration) as records:
        if not records.tokens.revoke(name):
            raise ConfigurationError(f"no token is called {name}", "'oryn token list' shows them.")
        records.audit.change(OWNER.name, "", "token", name, "revoked")
    click.echo(f"revoked: {name}")


@token.command()
@click.option("--last", default=20, show_default=True, type=click.IntRange(min=1), help="Maximum number of rows.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@configured("records")
def audit(configuration: Configuration, last: int, as_json: bool) -> None:
    """Show what was refused, and what was changed, newest last."""
    from oryn.core.text_safety import one_line
    from oryn.daemon.access.gate import access_records

    try:
        with access_records(configuration) as records:
            rows = list(islice(records.audit.newest(), last))[::-1]
    except OSError as error:
        raise FileError(f"the audit can't be read: {error.strerror or error}") from error
    if as_json:
        click.echo(json.dumps([each.values() for each in rows]))
        return
    columns = ("at (UTC)", "token", "from", "what", "outcome", "times", "detail")
    table(
        columns,
        [
            (
                each.ts[:19].replace("T", " "),
                each.principal,
                each.address,
                one_line(f"{each.kind} {each.subject}")[:60],
                each.outcome,
                str(each.count),
                one_line(each.detail)[:120],
            )
            for each in rows
        ],
    )


def _end(text: str | None, now: datetime) -> str | None:
    """The end of a token that lasts for a time from now on. Raises `ValueError`."""
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,3})([hdw])", text.strip())
    if found is None:
        raise ValueError(f"a token can't end after {text[:40]!r}: give hours, days or weeks, such as 12h, 30d or 4w")
    return _text(now + timedelta(**{_UNITS[found[2]]: int(found[1])}))


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
