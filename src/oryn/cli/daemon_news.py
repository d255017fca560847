"""`oryn daemon logs` and `oryn daemon watch`: what it says, and what happens."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from oryn.cli.flags import configured
from oryn.daemon.events import EVENT_TYPES
from oryn.settings import Configuration

_BETWEEN = 0.2


@click.command()
@click.option(
    "-n", "--number", default=50, show_default=True, type=click.IntRange(min=0), help="The last so many lines."
)
@click.option("-f", "--follow", is_flag=True, help="Then go on with what is written, until Ctrl-C.")
@configured()
def logs(configuration: Configuration, number: int, follow: bool) -> None:
    """Show what the daemon logged."""
    file = configuration.paths.daemon / "daemon.log"
    if not file.exists() and not follow:
        click.echo("nothing was logged yet", err=True)
        return
    with suppress(KeyboardInterrupt):
        for line in _lines(file, number, follow):
            click.echo(line, nl=False)


def _lines(file: Path, number: int, follow: bool) -> Iterator[str]:
    read = 0
    if file.exists():
        with file.open("r", encoding="utf-8", errors="replace") as log:
            yield from deque(log, maxlen=number)
            read = log.tell()
    while follow:
        time.sleep(_BETWEEN)  # files have no events that every platform knows
        size = file.stat().st_size if file.exists() else 0
        if size < read:
            read = 0  # another file has begun
        if size > read:
            with file.open("rb") as bytes_:
                bytes_.seek(read)
                new = bytes_.read()
            read += len(new)
            yield new.decode("utf-8", "replace")


@click.command()
@click.option("--filter", "types", multiple=True, type=click.Choice(EVENT_TYPES), help="Of this type; again for more.")
@click.option("--json-lines", is_flag=True, help="One JSON object a line.")
@configured()
def watch(configuration: Configuration, types: tuple[str, ...], json_lines: bool) -> None:
    """Show what happens as it happens, until Ctrl-C or the daemon's end."""
    from oryn.client.daemon import Daemon
    from oryn.daemon.lifecycle import Place

    with suppress(KeyboardInterrupt):
        for event in Daemon(Place(configuration.paths)).events(types):
            click.echo(json.dumps(event) if json_lines else _told(event))


def _told(event: dict[str, Any]) -> str:
    data = event["data"]
    parts = [event["ts"][11:23], event["type"], data.get("session"), data.get("action")]
    if event["type"] == "action.finish":
        parts += ["ok" if data["ok"] else data["error_kind"], f"{data['elapsed_ms']:.0f} ms"]
    if lost := event.get("lost"):
        parts.append(f"({lost} before it were lost)")
    return " ".join(str(part) for part in parts if part)
