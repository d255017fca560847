"""The command line as a whole: one module a command, imported when its command runs."""

from __future__ import annotations

import importlib

import click

from oryn.cli.names import COMMANDS

__all__ = ["COMMANDS", "app"]


class LazyGroup(click.Group):
    """Finds a command by importing its module, so that each pays for nothing but itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"oryn.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from oryn.cli.version import text

        click.echo(text())
        context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--session", metavar="NAME", help="The session's name.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print it.")
@click.pass_context
def app(context: click.Context, session: str | None) -> None:
    """The browser for AI agents: one short line in, what changed out."""
    context.obj = {"session": session}
