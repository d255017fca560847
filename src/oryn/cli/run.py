"""`oryn run`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import BROWSING, configured
from oryn.errors import FileError
from oryn.host import colour
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.host.script import Show


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--keep-going", is_flag=True, help="Go on after an error.")
@configured(*BROWSING)
def run(configuration: Configuration, file: Path, keep_going: bool) -> None:
    """Run the script FILE (- is standard input) and print the dialogue; the first error ends it."""
    from oryn.host import script
    from oryn.host.streams import LineReader

    lines = LineReader(_opened(file))
    sys.exit(script.run(configuration, lines, dialogue(configuration), keep_going=keep_going))


def _opened(file: Path) -> int:
    if str(file) == "-":
        return 0
    try:
        return os.open(file, os.O_RDONLY)
    except OSError as error:
        raise FileError(f"can't read {file}: {error.strerror}") from error


def dialogue(configuration: Configuration) -> Show:
    """Prints commands and answers as they come: `> command`, the answer, a blank line."""
    in_colour = colour.wanted(configuration.settings.colour, sys.stdout)

    def show(line: str, answer: Answer) -> None:
        if not line.strip():
            return
        payload = answer.render()
        if in_colour:
            line = f"{colour.DIM if answer.blank else colour.BOLD}{line}{colour.RESET}"
            payload = colour.coloured(payload)
        click.echo(line if answer.blank else f"> {line}\n{payload}\n")

    return show
