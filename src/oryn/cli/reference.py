"""`oryn reference`."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def _verbs(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from oryn.language.vocabulary import LINE_VOCABULARY

    return [CompletionItem(verb) for verb in LINE_VOCABULARY.verbs if verb.startswith(incomplete)]


@click.command()
@click.argument("command", nargs=-1, shell_complete=_verbs)
def reference(command: tuple[str, ...]) -> None:
    """List the commands, or explain one.

    COMMAND is a command of the language, such as "cookies set"."""
    from oryn.language.help import help_text

    click.echo(help_text(" ".join(command)))
