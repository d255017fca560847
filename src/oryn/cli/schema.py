"""`oryn schema`."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("document", type=click.Choice(["intent", "pack"]), default="intent")
def schema(document: str) -> None:
    """Print the JSON Schema of intents or packs.

    'intent' is the schema of an intent's file, 'pack' that of a pack's manifest."""
    from oryn.engine.definitions import json_schema

    click.echo(json.dumps(json_schema(document), indent=2))
