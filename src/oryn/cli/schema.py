"""`oryn schema`."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("document", type=click.Choice(["intent", "pack"]), default="intent")
def schema(document: str) -> None:
    """Print the JSON Schema of an intent's file, or of a pack's manifest."""
    from oryn.engine.intents.own import json_schema

    click.echo(json.dumps(json_schema(document), indent=2))
