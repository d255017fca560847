"""`oryn open`."""

from __future__ import annotations

import click


@click.command("open")
@click.option("--print", "only_print", is_flag=True, help="Only print the link, which is valid once, for a minute.")
def open_page(only_print: bool) -> None:
    """Open the daemon's live page.

    It shows sessions, events and history in your browser. With a URL, 'oryn open example.org' is another name of the
    verb goto ('oryn help goto')."""
    import webbrowser

    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    url = DaemonClient(DaemonInstance(find()), start=True).link()
    if only_print or not webbrowser.open(url):
        click.echo(url)


open = open_page
