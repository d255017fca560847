"""`oryn attach`."""

from __future__ import annotations

import click

from oryn.errors import BrowserNotFound

_ADVICE = (
    "Allow it: in Chrome 144 and later at chrome://inspect/#remote-debugging, in other browsers by starting them with "
    "--remote-debugging-port=9222 and a --user-data-dir of its own. 'oryn profile copy' takes a profile's logins."
)


@click.command()
@click.argument("browser", required=False)
@click.option("--session", "name", metavar="NAME", help="Session to use. Default: ORYN_SESSION, otherwise attached.")
@click.option("--list", "only_list", is_flag=True, help="Only list the browsers that Oryn can attach to.")
@click.pass_context
def attach(context: click.Context, browser: str | None, name: str | None, only_list: bool) -> None:
    """Attach to a running browser.

    BROWSER is chrome, edge, brave, chromium …; by default the first one found. It must allow connections of its
    developer tools. The session gets a context of its own there, without the cookies of the user's own windows, and
    leaves the browser running when it ends.

    \b
    oryn attach                            the first browser that is found
    oryn attach chrome --session mine"""
    import os

    from oryn.profiles.installations import running_browsers

    found = list(running_browsers(browser))
    if not found:
        raise BrowserNotFound(f"no running {browser or 'browser'} accepts DevTools connections", _ADVICE)
    if only_list:
        for each in found:
            click.echo(f"{each.browser}  {each.endpoint}")
        return
    session = name or (context.find_root().obj or {}).get("session") or os.environ.get("ORYN_SESSION") or "attached"
    _join(session, found[0].endpoint, found[0].browser)


def _join(session: str, endpoint: str, browser: str) -> None:
    """Open the session in the daemon, and print what it is. Ends the process if that fails."""
    import sys

    from oryn.cli.errors import print_error
    from oryn.cli.fast.errors import exit_code
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    daemon = DaemonClient(DaemonInstance(find()), start=True)
    response = daemon.command({"line": "tabs", "session": session, "settings": {"browser_url": endpoint}})
    if not response["ok"]:
        print_error(response["text"])
        sys.exit(exit_code(response["error_kind"]))
    click.echo(f"joined {browser}: oryn --session {session} goto …")
