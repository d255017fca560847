"""`oryn completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from oryn.cli.main import COMPLETION_VARIABLE

_WHERE = {
    "bash": 'eval "$(oryn completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(oryn completion zsh)" in ~/.zshrc',
    "fish": "oryn completion fish | source in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(_WHERE.values()))
@click.argument("shell", type=click.Choice(tuple(_WHERE)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a shell's completion script.

    It completes commands, options, the values of arguments by their position, settings, and the names of sessions."""
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(context.find_root().command, {}, "oryn", COMPLETION_VARIABLE).source())
