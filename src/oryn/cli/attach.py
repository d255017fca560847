"""`oryn attach`."""

from __future__ import annotations

from typing import Any

import click

from oryn.errors import BrowserNotFound

PERSON_SECONDS = 2.0
"""Seconds without an answer after which the user is told that the browser may ask them."""


@click.command()
@click.argument("browser", required=False)
@click.option("--session", "name", metavar="NAME", help="Session to use. Default: ORYN_SESSION, otherwise attached.")
@click.option("--private", is_flag=True, help="Work in a context of its own, without the browser's tabs and logins.")
@click.option("--list", "only_list", is_flag=True, help="Only list the browsers that Oryn can attach to.")
@click.pass_context
def attach(context: click.Context, browser: str | None, name: str | None, private: bool, only_list: bool) -> None:
    """Attach to a running browser.

    BROWSER is chrome, edge, brave, chromium …; by default the first one found. It must allow connections of its
    developer tools. The session sees the browser's tabs, has its logins, and opens tabs of its own beside them. When it
    ends, its tabs close, and the browser and everything else in it stays as it is.

    \b
    oryn attach                            the first browser that is found
    oryn attach chrome --session mine
    oryn attach --private                  without the browser's tabs and logins"""
    import os

    from oryn.profiles.installations import ALLOW_ADVICE, running_browsers

    found = list(running_browsers(browser))
    if not found:
        raise BrowserNotFound(f"no running {browser or 'browser'} accepts DevTools connections", ALLOW_ADVICE)
    if only_list:
        for each in found:
            click.echo(f"{each.browser}  {each.endpoint}")
        return
    session = name or (context.find_root().obj or {}).get("session") or os.environ.get("ORYN_SESSION") or "attached"
    _join(session, found[0].browser, private)


def _join(session: str, browser: str, private: bool) -> None:
    """Open the session in the daemon, and print what it can do. Ends the process if that fails."""
    import sys
    from threading import Timer

    from oryn.cli.errors import print_error
    from oryn.cli.fast.errors import exit_code
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    waiting = Timer(
        PERSON_SECONDS, click.echo, (f"waiting for {browser}, which may ask to allow this", None, True, True)
    )
    waiting.daemon = True
    waiting.start()
    daemon = DaemonClient(DaemonInstance(find()), start=True)
    settings = {"browser_url": browser.lower(), "browser_context": "private" if private else "shared"}
    try:
        response = daemon.command({"line": "tabs --timeout 60s", "session": session, "settings": settings})
    finally:
        waiting.cancel()
    if not response["ok"]:
        print_error(response["text"])
        sys.exit(exit_code(response["error_kind"]))
    click.echo(_summary(session, browser, response["data"]["result"], private))


def _summary(session: str, browser: str, tabs: list[dict[str, Any]], private: bool) -> str:
    """The line that says what the session can do, and how to stop."""
    if private:
        access = "in a context of its own, without its tabs and logins"
    else:
        count = sum(not tab["own"] for tab in tabs)
        access = f"with its logins and {count} {'tab' if count == 1 else 'tabs'} ('oryn --session {session} tabs')"
    return f"attached to {browser} {access}; 'oryn --session {session} close' ends it"
