"""Writes the manual pages of `oryn`, one for each command of its own: `python -m scripts.docs.manual`.

They are made from the command line itself, so `oryn --help` and `man oryn` agree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from click import Command, Context, Group
from click_man.core import generate_man_page

from oryn import __version__
from oryn.cli.app import app

OUT = Path(__file__).parents[2] / "build" / "man" / "man1"


def write_manual(out: Path = OUT, date: str | None = None) -> list[Path]:
    """Write the pages into the folder `out`, in the place of what was there. `date` stands at the foot of each; None is
    today."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return list(_write(Context(app, info_name="oryn"), out, date))


def _write(context: Context, out: Path, date: str | None) -> Iterator[Path]:
    command = context.command
    subcommands = _subcommands(context)
    if isinstance(command, Group):
        command.commands = subcommands  # those that are imported when they are used, too
    file = out / f"{context.command_path.replace(' ', '-')}.1"
    file.write_text(generate_man_page(context, __version__, date), "utf-8")
    yield file
    for name, subcommand in subcommands.items():
        yield from _write(Context(subcommand, info_name=name, parent=context), out, date)


def _subcommands(context: Context) -> dict[str, Command]:
    group = context.command
    if not isinstance(group, Group):
        return {}
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    for command in found.values():
        if command is not None:  # whole, and not cut after 45 characters
            command.short_help = (command.short_help or command.help or "").strip().partition("\n")[0]
    return {name: command for name, command in found.items() if command is not None and not command.hidden}


if __name__ == "__main__":
    for page in write_manual():
        print(page)
