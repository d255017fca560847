"""`oryn open`."""

from __future__ import annotations

import click


@click.command("open")
@click.option("--print", "only_print", is_flag=True, help="Only print the link; it is good once, for a minute.")
def open_page(only_print: bool) -> None:
    """Show the daemon's sessions, events and history in your browser.

    With a URL, 'oryn open example.org' is another name of the verb goto ('oryn help goto')."""
    import webbrowser

    from oryn.client.daemon import Daemon
    from oryn.daemon.lifecycle import Place
    from oryn.paths import find

    url = Daemon(Place(find()), start=True).link()
    if only_print or not webbrowser.open(url):
        click.echo(url)


open = open_page
