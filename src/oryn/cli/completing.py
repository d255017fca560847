"""What a shell is told when it asks how a command line could go on: the table's verbs as if they were commands of ours,
and the settings before them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from oryn.cli.flags import BROWSING, option
from oryn.language import CommandSpec, doors
from oryn.language.command import Option
from oryn.language.vocabulary import Verb
from oryn.modes import MODES
from oryn.settings import SETTINGS

_SECONDS = 0.5
"""How long a daemon may take to say which sessions it has."""


def prepare(app: click.Group) -> None:
    """Let the command line know, while it completes, what otherwise goes to the daemon unread."""
    app.params += [click.Option(["--json"], is_flag=True), click.Option(["--backend"], type=click.Choice(list(MODES)))]
    for name in BROWSING:
        if name != "session":
            option(SETTINGS[name])(app)
    for verb in doors().verbs.values():
        app.add_command(_command(verb))


def sessions(begun: str) -> list[str]:
    """The names of sessions that begin so: the daemon's and those of other programs."""
    from oryn.client.daemon import Daemon
    from oryn.daemon.lifecycle import Place
    from oryn.errors import OrynError
    from oryn.paths import find
    from oryn.sessions.registry import running

    paths = find()
    names = {one.name for one in running(paths.sessions)}
    with suppress(OrynError):
        names |= {each["name"] for each in Daemon(Place(paths)).status(limit=_SECONDS)["sessions"]}
    return sorted(name for name in names if name.startswith(begun))


def _command(verb: Verb) -> click.Command:
    options: dict[str, Option] = {name: each for spec in verb.commands for name, each in spec.options.items()}
    return click.Command(
        verb.name,
        help=" · ".join(spec.help for spec in verb.commands),
        short_help=_help(verb.commands),
        params=[
            click.Argument(["words"], nargs=-1, shell_complete=lambda _, __, begun: _words(verb, begun)),
            *(_option(each) for each in options.values()),
            click.Option(["--json"], is_flag=True, help="The answer as JSON."),
            *([] if "session" in options else [_session_option()]),
        ],
    )


def _help(commands: Sequence[CommandSpec]) -> str:
    return commands[0].help if len(commands) == 1 else ", ".join(spec.name for spec in commands)


def _words(verb: Verb, begun: str) -> list[CompletionItem]:
    return [
        CompletionItem(word, help=spec.help) for word, spec in verb.chosen.items() if word.startswith(begun.lower())
    ]


def _option(declared: Option) -> click.Option:
    if declared.kind is None:
        return click.Option([declared.written], is_flag=True, help=declared.help)
    words = declared.kind.words
    return click.Option(
        [declared.written],
        type=click.Choice(words) if words else None,
        multiple=declared.kind.adds_up,
        help=declared.help,
    )


def _session_option() -> click.Option:
    return click.Option(["--session"], shell_complete=lambda _, __, begun: sessions(begun), help="The session's name.")
