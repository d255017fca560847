"""`oryn do`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from oryn.cli.fast.colour import print_text
from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.settings import SETTINGS, Configuration


@click.command(cls=GroupedCommand)
@click.argument("lines", nargs=-1, required=True, metavar="LINE...")
@click.option("--keep-going", is_flag=True, help="Continue after an error.")
@click.option("--json", "as_json", is_flag=True, help="Print the responses as JSON, one per line.")
@click.option("--backend", metavar="NAME", help="Browser of the session, if the first line opens it.")
@configured(*BROWSING)
def do(
    configuration: Configuration, lines: Sequence[str], keep_going: bool, as_json: bool, backend: str | None
) -> None:
    """Run LINEs of the language in the daemon.

    They run one after the other, and the first error ends the run.

    \b
    oryn do "goto example.org" 'click "More information"' observe"""
    from oryn.cli.fast.errors import exit_code
    from oryn.cli.fast.main import INTERRUPTED, INTERRUPTION
    from oryn.daemon_client.client import DaemonClient
    from oryn.daemon_client.http import current_folder
    from oryn.system.daemon_instance import DaemonInstance

    daemon = DaemonClient(DaemonInstance(configuration.paths), start=True)
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
        text = str(response["text"])
        print_text(f"\n{text}" if between else text, sys.stdout if response["ok"] else sys.stderr)


def _session() -> str:
    from oryn.cli.fast.main import session_of

    context = click.get_current_context()
    return session_of(context.params["session"] or (context.find_root().obj or {}).get("session"))


def _settings() -> dict[str, str | bool]:
    """The settings that were given as options; for others the daemon uses its own."""
    from oryn.cli.fast.session_settings import wire_value

    parameters = click.get_current_context().params
    return {
        name: value if isinstance(value, bool) else wire_value(SETTINGS[name], value)
        for name, value in parameters.items()
        if name in BROWSING and name != "session" and value is not None
    }
