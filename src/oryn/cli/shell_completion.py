"""Shell completion, in the protocol of click (https://click.palletsprojects.com/en/stable/shell-completion/).

Words of a verb are completed from the table of commands (`oryn.language.completion`), without the rest of the command
line; the command line's own commands are completed by click."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from oryn.cli.fast.commands import COMMANDS, SHORTCUTS
from oryn.cli.fast.main import after_options, session_of
from oryn.language import api_vocabulary
from oryn.language.command import ValueSource
from oryn.language.completion import suggestions, verb_help

_SECONDS = 2.0
"""Timeout in seconds for asking the daemon: on a busy machine a late list is worth more than none."""
_ANSWER_OPTIONS = {
    "--json": "The answer as JSON.",
    "--raw": "The result alone, as a file would have it.",
    "--exit-code": "Exit code 1 if the answer is no.",
    "--session": "The session's name.",
}
"""Options of every verb, beside those of the table."""


def complete(instruction: str, variable: str, load_commands: Callable[[], click.Group]) -> int:
    """Print the completions that a shell requests; return the exit code.

    instruction: the value of the variable, such as `bash_complete`, or `bash_source` for the script.
    load_commands: loads the command line's own commands, which verbs don't need."""
    shell, _, request = instruction.partition("_")
    kind = get_completion_class(shell)
    if kind is None:
        return 1
    protocol = kind(click.Group(), {}, "oryn", variable)
    if request == "source":
        click.echo(protocol.source())
        return 0
    words, partial = protocol.get_completion_args()
    found = verb_completions(words, partial)
    if found is None:
        protocol.cli = _command_line(load_commands())
        found = protocol.get_completions(words, partial)
    if found:
        click.echo("\n".join(protocol.format_completion(item) for item in found))
    return 0


def verb_completions(words: Sequence[str], partial: str) -> list[CompletionItem] | None:
    """Completions after a verb, or after `help`; None if the words call a command of the command line itself."""
    rest = after_options(words)
    if not rest or rest[0].startswith("-"):
        return None
    if rest[0] == "help" and len(rest) == 1:
        topics = [*api_vocabulary().verbs, "targets", "settings", *COMMANDS, *SHORTCUTS]
        return [CompletionItem(topic) for topic in dict.fromkeys(topics) if topic.startswith(partial)]
    if rest[0] in COMMANDS or rest[0] in SHORTCUTS:
        return None
    if rest[-1] == "--session":
        return [CompletionItem(name) for name in session_names(partial)]
    session = session_of(_session_in(words))
    found = suggestions(rest, partial, api_vocabulary(), lambda source: _values(source, session))
    items = [CompletionItem(each.text, "file" if each.is_path else "plain", each.meaning or None) for each in found]
    if partial.startswith("-"):
        there = {item.value for item in items}
        options = ((name, text) for name, text in _ANSWER_OPTIONS.items() if name not in there)
        items += [CompletionItem(name, help=text) for name, text in options if name.startswith(partial)]
    return items


def session_names(prefix: str) -> list[str]:
    """The names of sessions with this prefix, of the daemon and of other processes."""
    from oryn.sessions.registry import running
    from oryn.system.paths import find

    names = {one.name for one in running(find().sessions)}
    names |= {each["name"] for each in _daemon_sessions()}
    return sorted(name for name in names if name.startswith(prefix))


def _daemon_sessions() -> list[dict[str, Any]]:
    from oryn.daemon_client.client import DaemonClient
    from oryn.errors import OrynError
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    with suppress(OrynError):  # no daemon runs
        sessions: list[dict[str, Any]] = DaemonClient(DaemonInstance(find())).status(limit=_SECONDS)["sessions"]
        return sessions
    return []


def _values(source: ValueSource, session: str) -> Iterable[str]:
    if source == "sessions":
        return session_names("")
    if source in ("intents", "packs", "tools"):
        return _names_in_session(source, session)
    from oryn.hosts.completion import fixed_values

    return fixed_values(source, api_vocabulary())


def _names_in_session(command: str, session: str) -> list[str]:
    """The names that a command of an open session lists; no session is opened for them."""
    from oryn.daemon_client.client import DaemonClient
    from oryn.errors import OrynError
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    if not any(each["name"] == session and each["state"] == "running" for each in _daemon_sessions()):
        return []
    with suppress(OrynError):  # it is busy, or has ended meanwhile
        envelope = {"line": command, "session": session}
        response = DaemonClient(DaemonInstance(find())).command(envelope, limit=_SECONDS)
        rows = (response["data"] or {}).get("result") or []
        return [row["name"] for row in rows]
    return []


def _session_in(words: Sequence[str]) -> str | None:
    """The session that words name: `--session work`, `--session=work`."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == "--session":
            return value if equals else following
    return None


def _command_line(app: click.Group) -> click.Group:
    """The whole command line: its own commands, the shortcuts and verbs as commands, and the settings before them."""
    from oryn.cli.flags import BROWSING, option
    from oryn.core.modes import MODES
    from oryn.settings import SETTINGS

    app.params += [click.Option([flag], is_flag=True) for flag in ("--json", "--raw", "--exit-code")]
    app.params.append(click.Option(["--backend"], type=click.Choice(list(MODES))))
    for name in (*BROWSING, "colour"):
        if name != "session":
            option(SETTINGS[name])(app)
    context = click.Context(app)
    for name in SHORTCUTS:
        if command := app.get_command(context, name):
            app.add_command(command, name)
    for verb in api_vocabulary().verbs.values():
        app.add_command(click.Command(verb.name, short_help=verb_help(verb)))
    return app
