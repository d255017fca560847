"""`oryn run`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oryn.cli.flags import BROWSING, GroupedCommand, configured
from oryn.errors import FileError
from oryn.hosts import terminal
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.hosts.script import AnswerCallback


@click.command(cls=GroupedCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--keep-going", is_flag=True, help="Continue after an error.")
@configured(*BROWSING)
def run(configuration: Configuration, file: Path, keep_going: bool) -> None:
    """Run a script and print the dialogue.

    FILE is the script; - reads it from standard input. The first error ends the run."""
    from oryn.hosts import script
    from oryn.hosts.process_io import LineReader

    lines = LineReader(_open_script(file))
    sys.exit(script.run_script(configuration, lines, dialogue(configuration), keep_going=keep_going))


def _open_script(file: Path) -> int:
    if str(file) == "-":
        return 0
    try:
        return os.open(file, os.O_RDONLY)
    except OSError as error:
        raise FileError(f"can't read {file}: {error.strerror}") from error


def dialogue(configuration: Configuration) -> AnswerCallback:
    """A callback that prints each command and its answer: `> command`, the answer, a blank line."""
    from oryn.language import MASK

    in_colour = terminal.use_colour(configuration.settings.colour, sys.stdout)

    def show(line: str, answer: Answer) -> None:
        if not line.strip():
            return
        if MASK in answer.command:  # the line has a secret, which the answer's own form has not
            session = line.split()[0]
            line = f"{session} {answer.command}" if session.startswith("@") else answer.command
        payload = answer.render()
        if in_colour:
            line = f"{terminal.DIM if answer.blank else terminal.BOLD}{line}{terminal.RESET}"
            payload = terminal.colourize(payload)
        click.echo(line if answer.blank else f"> {line}\n{payload}\n")

    return show
