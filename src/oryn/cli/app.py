"""The command line as a whole: one module a command, imported when its command runs. Verbs of the table never come
here: `oryn.client` sends them to the daemon."""

from __future__ import annotations

import importlib

import click

from oryn.client.names import COMMANDS, SHORTCUTS

__all__ = ["COMMANDS", "app"]


class LazyGroup(click.Group):
    """Finds a command by importing its module, so that each pays for nothing but itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in self.commands if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in SHORTCUTS:
            from oryn.cli.daemon import daemon

            return daemon.commands[SHORTCUTS[cmd_name]]
        if cmd_name not in COMMANDS:
            return self.commands.get(cmd_name)
        command = getattr(importlib.import_module(f"oryn.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from oryn.language import doors

        with formatter.section("Verbs ('oryn help click' explains one)"):
            formatter.write_dl([(family, " ".join(verbs)) for family, verbs in doors().families.items()])
        super().format_commands(ctx, formatter)
        with formatter.section("Shortcuts"):
            formatter.write_dl([(name, f"oryn daemon {command}") for name, command in SHORTCUTS.items()])


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from oryn.cli.version import text

        click.echo(text())
        context.exit()


def _sessions(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    from oryn.cli.completing import sessions

    return sessions(begun)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--session", metavar="NAME", shell_complete=_sessions, help="The session's name, else ORYN_SESSION's.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print it.")
@click.pass_context
def app(context: click.Context, session: str | None) -> None:
    """The browser for AI agents: one short line in, what changed out.

    A verb goes to the daemon, which the first one starts; its answer comes back, and the session stays as it is until
    the next one, also when the terminal is closed.

    \b
      oryn goto example.org              open a page
      oryn observe                       list its elements with their numbers
      oryn click 3                       or by its text: oryn click "Sign in"
      oryn type email ann@example.org    and then perhaps --enter
      oryn sign_in ann secret            fill in the page's login form
      oryn --session work goto a.org     in a session of its own
      oryn sessions                      what is open; 'oryn close' ends it

    Before a verb stand --session, --json, --backend and the settings of the session that it opens, such as --profile
    or --headful ('oryn headless --help' lists them); of a session that is open already, --timeout and --strict are for
    this verb alone. 'oryn sign_in' is the page's login, 'oryn login' a person's."""
    context.obj = {"session": session}
