"""`oryn agent`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.flags import AGENT, BROWSING, STORING, configured
from oryn.errors import ConfigurationError
from oryn.extras import needed
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.host.agent.hosting import Outcome, Task

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("goal", required=False)
@click.option("--start", multiple=True, metavar="URL", help="Show it in a tab from the start; again for more.")
@click.option("--tool", multiple=True, metavar="NAME=URL", help="A saved tool, which the model opens by its name.")
@click.option("--transcript", type=_FILE, help="Where to write what happens; without it, beside the user's data.")
@click.option("--resume", type=_FILE, metavar="TRANSCRIPT", help="Go on with that run; GOAL is a correction then.")
@click.option("--page", type=_FILE, metavar="TRANSCRIPT", help="Only write that run's page, and print where it is.")
@click.option("--yes", is_flag=True, help="Ask about nothing but what --confirm names.")
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as JSON, and nothing else.")
@configured(*AGENT, *BROWSING, *STORING)
def agent(
    configuration: Configuration,
    goal: str | None,
    start: Sequence[str],
    tool: Sequence[str],
    transcript: Path | None,
    resume: Path | None,
    page: Path | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Have a chat model reach GOAL in a browser, by any endpoint that speaks OpenAI's chat completions.

    \b
    ORYN_MODEL_KEY=… oryn agent "What does a fern cost at fernhill.example?" --model gpt-5
    oryn agent "…" --endpoint http://localhost:11434/v1 --model qwen3

    On a terminal, what is typed meanwhile is told to the model with the next message, and commands that may do harm are
    asked about; elsewhere they are refused. Ctrl-C ends it; --resume goes on."""
    hosting = _hosting()
    if page is not None:
        click.echo(hosting.written_page(page))
        return
    if (goal is None or not goal.strip()) and resume is None:
        raise ConfigurationError("there is no goal", 'Say what is to be done: oryn agent "…" --model NAME.')
    from oryn.host.agent.preparing import careful, new_transcript, saved_tools

    careful_one = careful(configuration, unasked=yes)
    task = hosting.Task(
        goal=goal,
        file=(resume or transcript or new_transcript(configuration.paths)).absolute(),
        saved=saved_tools(configuration, tool),
        urls=tuple(start),
        resumed=resume is not None,
    )
    sys.exit(_performed(careful_one, task, as_json=as_json))


def _hosting() -> Any:
    """Raises `NotSupported` where the extra is not installed."""
    with needed("agent", "'oryn agent'"):
        from oryn.host.agent import hosting
    return hosting


def _performed(configuration: Configuration, task: Task, *, as_json: bool) -> int:
    """Do it, and tell how it ended; the exit code."""
    import asyncio

    from oryn.host import colour
    from oryn.host.agent.terminal import Silence, Terminal, ending

    in_colour = colour.wanted(configuration.settings.colour, sys.stdout)
    watcher = Silence() if as_json else Terminal(in_colour=in_colour)
    outcome: Outcome = asyncio.run(_hosting().perform(configuration, task, watcher))
    if as_json:
        click.echo(json.dumps(_described(outcome, task.file)))
        return outcome.code
    for line in ending(outcome.ended, task.file, outcome.page):
        watcher.say(line)
    if error := outcome.ended.error:
        click.echo(f"error: {error.message}\nhint: {error.hint}" if error.hint else f"error: {error.message}", err=True)
    return outcome.code


def _described(outcome: Outcome, transcript: Path) -> dict[str, Any]:
    ended = outcome.ended
    return {
        "ok": ended.outcome == "finished",
        "outcome": ended.outcome,
        "answer": ended.answer,
        "error": ended.error and {"code": ended.error.code, "message": ended.error.message, "hint": ended.error.hint},
        "steps": ended.steps,
        "usage": ended.usage.values(),
        "cost": ended.cost,
        "transcript": str(transcript),
        "page": str(outcome.page),
    }
