"""Shell completion: the verbs of the command table as commands, and the settings before them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from oryn.cli.flags import BROWSING, option
from oryn.core.modes import MODES
from oryn.language import CommandSpec, api_vocabulary
from oryn.language.command import Option
from oryn.language.vocabulary import Verb
from oryn.settings import SETTINGS

_SECONDS = 0.5
"""Timeout in seconds for asking the daemon for its sessions."""


def add_verbs(app: click.Group) -> None:
    """Add the verbs and the settings before them to `app`, which otherwise go to the daemon unparsed."""
    app.params += [click.Option([flag], is_flag=True) for flag in ("--json", "--raw", "--exit-code")]
    app.params.append(click.Option(["--backend"], type=click.Choice(list(MODES))))
    for name in BROWSING:
        if name != "session":
            option(SETTINGS[name])(app)
    for verb in api_vocabulary().verbs.values():
        app.add_command(_command(verb))


def session_names(prefix: str) -> list[str]:
    """The names of sessions with this prefix, of the daemon and of other processes."""
    from oryn.cli.daemon_client import DaemonClient
    from oryn.daemon.instance import DaemonInstance
    from oryn.errors import OrynError
    from oryn.sessions.registry import running
    from oryn.system.paths import find

    paths = find()
    names = {one.name for one in running(paths.sessions)}
    with suppress(OrynError):
        names |= {each["name"] for each in DaemonClient(DaemonInstance(paths)).status(limit=_SECONDS)["sessions"]}
    return sorted(name for name in names if name.startswith(prefix))


def _command(verb: Verb) -> click.Command:
    options: dict[str, Option] = {name: each for spec in verb.commands for name, each in spec.options.items()}
    return click.Command(
        verb.name,
        help=" · ".join(spec.help for spec in verb.commands),
        short_help=_help(verb.commands),
        params=[
            click.Argument(["words"], nargs=-1, shell_complete=lambda _, __, prefix: _words(verb, prefix)),
            *(_option(each) for each in options.values()),
            click.Option(["--json"], is_flag=True, help="The answer as JSON."),
            click.Option(["--raw"], is_flag=True, help="The result alone, as a file would have it."),
            click.Option(["--exit-code"], is_flag=True, help="Exit code 1 if the answer is no."),
            *([] if "session" in options else [_session_option()]),
        ],
    )


def _help(commands: Sequence[CommandSpec]) -> str:
    return commands[0].help if len(commands) == 1 else ", ".join(spec.name for spec in commands)


def _words(verb: Verb, prefix: str) -> list[CompletionItem]:
    return [
        CompletionItem(word, help=spec.help) for word, spec in verb.chosen.items() if word.startswith(prefix.lower())
    ]


def _option(declared: Option) -> click.Option:
    if declared.kind is None:
        return click.Option([declared.written], is_flag=True, help=declared.help)
    words = declared.kind.words
    return click.Option(
        [declared.written],
        type=click.Choice(words) if words else None,
        multiple=declared.kind.is_cumulative,
        help=declared.help,
    )


def _session_option() -> click.Option:
    return click.Option(
        ["--session"], shell_complete=lambda _, __, prefix: session_names(prefix), help="The session's name."
    )
