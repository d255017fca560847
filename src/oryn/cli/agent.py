"""`oryn agent`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.errors import print_error
from oryn.cli.flags import AGENT, BROWSING, STORING, GroupedCommand, configured
from oryn.core.error_text import error_fields, error_text
from oryn.errors import ConfigurationError
from oryn.settings import Configuration
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from oryn.agent.runner.runner import AgentOutcome, AgentTask

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=GroupedCommand)
@click.argument("goal", required=False)
@click.option("--start", multiple=True, metavar="URL", help="URL to open in a tab at the start; repeatable.")
@click.option(
    "--tool", multiple=True, metavar="NAME=URL", help="Web tool that the model can open by its name; repeatable."
)
@click.option("--transcript", type=_FILE, help="Transcript file to write. Default: a new file in Oryn's data folder.")
@click.option(
    "--resume", type=_FILE, metavar="TRANSCRIPT", help="Continue the run of this transcript; GOAL is then a correction."
)
@click.option(
    "--page", type=_FILE, metavar="TRANSCRIPT", help="Only write the HTML page of this transcript, and print its path."
)
@click.option("--yes", is_flag=True, help="Ask only about commands that --confirm names.")
@click.option("--json", "as_json", is_flag=True, help="Print only the result, as JSON.")
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
    """Let a chat model reach GOAL in a browser.

    The model can be at any endpoint that is compatible with OpenAI's chat completions.

    \b
    ORYN_MODEL_KEY=… oryn agent "What does a fern cost at fernhill.example?" --model gpt-5
    oryn agent "…" --endpoint http://localhost:11434/v1 --model qwen3

    On a terminal, Oryn sends what you type to the model with its next message, and asks before commands that may do
    harm; elsewhere it rejects them. Ctrl-C ends the run; --resume continues it."""
    runner = _runner()
    if page is not None:
        click.echo(runner.write_page(page))
        return
    if (goal is None or not goal.strip()) and resume is None:
        raise ConfigurationError("there is no goal", 'Give a goal: oryn agent "…" --model NAME.')
    from oryn.agent.runner.setup import new_transcript, saved_tools, with_agent_defaults

    careful_one = with_agent_defaults(configuration, unasked=yes)
    task = runner.AgentTask(
        goal=goal,
        file=(resume or transcript or new_transcript(configuration.paths)).absolute(),
        saved=saved_tools(configuration, tool),
        urls=tuple(start),
        resumed=resume is not None,
    )
    sys.exit(_run_task(careful_one, task, as_json=as_json))


def _runner() -> Any:
    """The module of the agent's runner. Raises `NotSupported` if the extra is not installed."""
    with require_extra("agent", "'oryn agent'"):
        from oryn.agent.runner import runner
    return runner


def _run_task(configuration: Configuration, task: AgentTask, *, as_json: bool) -> int:
    """Run the task, print its outcome, and return the exit code."""
    import asyncio

    from oryn.agent.runner.console import ConsoleOutput, SilentOutput, result_lines
    from oryn.hosts import terminal

    in_colour = terminal.use_colour(configuration.settings.colour, sys.stdout)
    watcher = SilentOutput() if as_json else ConsoleOutput(in_colour=in_colour)
    outcome: AgentOutcome = asyncio.run(_runner().run_task(configuration, task, watcher))
    if as_json:
        click.echo(json.dumps(_outcome_data(outcome, task.file)))
        return outcome.code
    for line in result_lines(outcome.ended, task.file, outcome.page):
        watcher.say(line)
    if error := outcome.ended.error:
        print_error(error_text(error, "agent"))
    return outcome.code


def _outcome_data(outcome: AgentOutcome, transcript: Path) -> dict[str, Any]:
    ended = outcome.ended
    return {
        "ok": ended.outcome == "finished",
        "outcome": ended.outcome,
        "answer": ended.answer,
        "error": None,
        **(error_fields(ended.error) if ended.error else {}),
        "steps": ended.steps,
        "usage": ended.usage.values(),
        "cost": ended.cost,
        "transcript": str(transcript),
        "page": str(outcome.page),
    }
