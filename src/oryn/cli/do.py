"""`oryn do`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from oryn.cli.flags import BROWSING, configured
from oryn.settings import SETTINGS, Configuration


@click.command()
@click.argument("lines", nargs=-1, required=True, metavar="LINE...")
@click.option("--keep-going", is_flag=True, help="Go on after an error.")
@click.option("--json", "as_json", is_flag=True, help="The responses as JSON, one a line.")
@click.option("--backend", metavar="NAME", help="The session's browser, where the first line opens it.")
@configured(*BROWSING)
def do(
    configuration: Configuration, lines: Sequence[str], keep_going: bool, as_json: bool, backend: str | None
) -> None:
    """Send LINEs of the language to the daemon, one after the other; the first error ends it.

    \b
    oryn do "goto example.org" 'click "More information"' observe"""
    from oryn.client.daemon import Daemon
    from oryn.client.exchange import current_folder
    from oryn.client.refused import exit_code
    from oryn.client.verbs import INTERRUPTED, INTERRUPTION
    from oryn.daemon.lifecycle import Place

    daemon = Daemon(Place(configuration.paths), start=True)
    about = {"session": _session(), "settings": _settings(), "backend": backend, "folder": current_folder()}
    code = 0
    for number, line in enumerate(lines):
        try:
            response = daemon.command({"line": line, **{name: value for name, value in about.items() if value}})
        except KeyboardInterrupt:
            click.echo(INTERRUPTION, err=True)
            sys.exit(INTERRUPTED)
        _show(response, as_json, between=number > 0)
        code = code or exit_code(response["error_kind"])
        if code and not keep_going:
            break
    sys.exit(code)


def _show(response: dict[str, object], as_json: bool, *, between: bool) -> None:
    if as_json:
        click.echo(json.dumps(response))
    else:
        text = str(response["text"]).encode("utf-8", "replace").decode()
        click.echo(f"\n{text}" if between else text, err=not response["ok"])


def _session() -> str:
    from oryn.client.verbs import session_of

    context = click.get_current_context()
    return session_of(context.params["session"] or (context.find_root().obj or {}).get("session"))


def _settings() -> dict[str, str | bool]:
    """Those that were given here: the daemon has its own for the others."""
    from oryn.client.session_settings import sent

    given = click.get_current_context().params
    return {
        name: value if isinstance(value, bool) else sent(SETTINGS[name], value)
        for name, value in given.items()
        if name in BROWSING and name != "session" and value is not None
    }
