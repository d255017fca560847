"""`oryn version`."""

from __future__ import annotations

import typer

from oryn import PROTOCOL_VERSION, __version__

app = typer.Typer(add_completion=False)


@app.command()
def version() -> None:
    """Say which version this is."""
    typer.echo(f"oryn {__version__} (protocol {PROTOCOL_VERSION})")
