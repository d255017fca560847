"""The command line's own commands: one module a command, imported when its command runs.

Verbs of the command table are not handled here: `oryn.cli.fast` sends them to the daemon."""

from __future__ import annotations

import importlib
import sys

import click

from oryn.cli.fast.commands import COMMANDS, SHORTCUTS

__all__ = ["COMMANDS", "app"]


class HeadingFormatter(click.HelpFormatter):
    """Writes help; its headings are bold where a person looks."""

    def write_heading(self, heading: str) -> None:
        from oryn.cli.fast.colour import is_coloured

        super().write_heading(click.style(heading, bold=True) if is_coloured(sys.stdout) else heading)


click.Context.formatter_class = HeadingFormatter


class LazyGroup(click.Group):
    """Finds a command by importing its module, so that each command imports only what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in self.commands if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in SHORTCUTS:
            from oryn.cli.daemon import daemon

            return daemon.commands[SHORTCUTS[cmd_name]]
        if cmd_name not in COMMANDS:
            return self.commands.get(cmd_name)
        name = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"oryn.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from oryn.language import api_vocabulary

        with formatter.section("Verbs ('oryn help click' explains one)"):
            formatter.write_dl([(family, " ".join(verbs)) for family, verbs in api_vocabulary().families.items()])
        super().format_commands(ctx, formatter)
        with formatter.section("Shortcuts"):
            formatter.write_dl([(name, f"oryn daemon {command}") for name, command in SHORTCUTS.items()])


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from oryn.cli.version import text

        click.echo(text())
        context.exit()


def _sessions(_: click.Context, __: click.Parameter, prefix: str) -> list[str]:
    from oryn.cli.shell_completion import session_names

    return session_names(prefix)


def _current_option(name: str) -> str:
    """Replace an option's former name by its current one, both without dashes. Help lists only the current names."""
    if not name.startswith("most-") and name != "colour":
        return name
    from oryn.settings.flags import current_flag

    return current_flag(name)


_CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "token_normalize_func": _current_option}


@click.group(cls=LazyGroup, context_settings=_CONTEXT_SETTINGS)
@click.option("--session", metavar="NAME", shell_complete=_sessions, help="Session to use. Default: ORYN_SESSION.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def app(context: click.Context, session: str | None) -> None:
    """The browser for AI agents: one short line in, what changed out.

    Commands run in a background daemon, started on first use, which keeps the browser and session open between calls.

    \b
      oryn goto example.org              open a page
      oryn observe                       list its elements with their numbers
      oryn click 3                       or by its text: oryn click "Sign in"
      oryn type email ann@example.org    add --enter to submit
      oryn sign_in ann secret            fill in the page's login form
      oryn --session work goto a.org     use a separate session
      oryn sessions                      list the sessions; 'oryn close' ends one

    Options come before the verb: --session, --json, --backend and the settings of a new session, such as --profile or
    --headful ('oryn help settings' lists them). If the session is already open, --timeout and --strict apply to this
    verb alone. 'oryn sign_in' fills in the page's login form; 'oryn login' lets a person log in."""
    context.obj = {"session": session}
