"""`oryn config`."""

from __future__ import annotations

import json

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.settings import SETTINGS, Configuration


@click.command(cls=GroupedCommand)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@configured(*BROWSING)
def config(configuration: Configuration, as_json: bool) -> None:
    """Show every setting, its value and its origin."""
    click.echo(json.dumps(_data(configuration), indent=2) if as_json else "\n".join(_rows(configuration)))


def _data(configuration: Configuration) -> dict[str, object]:
    settings = {
        name: {"value": entry.public(getattr(configuration.settings, name)), "origin": configuration.origins[name]}
        for name, entry in SETTINGS.items()
    }
    folders = {name: str(folder) for name, folder in configuration.paths.values().items()}
    return {"settings": settings, "config_file": str(configuration.paths.config_file), "folders": folders}


def _rows(configuration: Configuration) -> list[str]:
    values = {name: entry.show(getattr(configuration.settings, name)) for name, entry in SETTINGS.items()}
    width, wide = max(map(len, values)), max(map(len, values.values()))
    rows = [f"{name:{width}}  {value:{wide}}  {configuration.origins[name]}" for name, value in values.items()]
    folders = [f"{name:{width}}  {folder}" for name, folder in configuration.paths.values().items()]
    return [*rows, "", f"{'file':{width}}  {configuration.paths.config_file}", *folders]
