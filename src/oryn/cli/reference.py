"""`oryn reference`."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


def _verbs() -> list[str]:
    from oryn.language.vocabulary import VERBS

    return list(VERBS)


@app.command()
def reference(
    command: Annotated[
        list[str] | None, typer.Argument(help="A command of the language, such as cookies set.", autocompletion=_verbs)
    ] = None,
) -> None:
    """List the commands of the language, or explain one."""
    from oryn.language.help import help_text

    typer.echo(help_text(" ".join(command or ())))
