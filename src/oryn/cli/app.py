"""The command line as a whole: one module a command, imported when its command runs."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

COMMANDS = ("headless", "run", "parse", "reference", "doctor", "config", "demo", "version")
"""Every command, in the order of `--help`; `oryn.cli.<command>` has its `app`."""


class LazyGroup(TyperGroup):
    """Finds a command by importing its module, so that `oryn parse` pays for nothing but itself."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        command = typer.main.get_command(importlib.import_module(f"oryn.cli.{cmd_name}").app)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from oryn.cli.version import version

        version()
        raise typer.Exit


@app.callback()
def oryn(
    context: typer.Context,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The session's name.")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """The browser for AI agents: one short line in, what changed out."""
    context.obj = {"session": session}
