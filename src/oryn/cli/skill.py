"""`oryn skill`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from oryn.skill import PLATFORMS, assistants

if TYPE_CHECKING:
    from oryn.skill import Assistant, Change


@click.command()
@click.option("--for", "name", type=click.Choice(tuple(assistants())), help="Say what this assistant needs, and where.")
@click.option("--project", is_flag=True, help="For the project in this folder alone, not for the user.")
@click.option("--install", is_flag=True, help="Write the assistant's files; what else is in them stays.")
@click.option("--dry-run", is_flag=True, help="Show what --install would change.")
@click.option("--replace", is_flag=True, help="Also where something else of that name is there.")
def skill(name: str | None, project: bool, install: bool, dry_run: bool, replace: bool) -> None:
    """Print the text that teaches a model the language, or give it to an assistant together with the MCP server.

    \b
      oryn skill                             print SKILL.md
      oryn skill --for cursor                what stands where
      oryn skill --for cursor --install      write it"""
    from oryn.skill import skill_text

    if name is None:
        if project or install or dry_run or replace:
            raise click.UsageError("Say for which assistant: --for " + "|".join(assistants()))
        click.echo(skill_text(), nl=False)
        return
    assistant = assistants()[name]
    if project and not assistant.project:
        raise click.UsageError(f"{assistant.title} has no file for one project: leave --project out.")
    if not (install or dry_run):
        click.echo("\n".join(_told(assistant, project=project)))
        return
    # All of them are made, and the server tried, before the first is written: a refusal leaves everything as it was.
    changes = list(_changes(assistant, project=project, replace=replace))
    if not dry_run:
        _try(project=project)
    for change in changes:
        _do(change, dry_run=dry_run)
    if not dry_run:
        click.echo(assistant.then)


def _told(assistant: Assistant, *, project: bool) -> Iterator[str]:
    from oryn.skill.assistant import for_people, starting_command

    places = {platform: for_people(assistant.place_of(platform, project=project)) for platform in PLATFORMS}
    yield assistant.title
    if len(set(places.values())) == 1:
        yield f"  {places[PLATFORMS[0]]}"
    else:
        yield from (f"  {platform + ':':9}{place}" for platform, place in places.items())
    yield ""
    yield _shown(assistant, starting_command(project=project))
    if where := assistant.place_of_skill(project=project):
        yield f"  {for_people(where)}"
        yield "\nwhat 'oryn skill' prints\n"
    yield assistant.then
    yield f"'oryn skill --for {assistant.name}{' --project' if project else ''} --install' writes it."
    yield f"See {assistant.source}"


def _shown(assistant: Assistant, command: list[str]) -> str:
    """A configuration that has nothing but the server."""
    from oryn.skill.installing import DOCUMENTS

    return str(DOCUMENTS[assistant.format].with_entry("", assistant.keys, assistant.made(command)))


def _changes(assistant: Assistant, *, project: bool, replace: bool) -> Iterator[Change]:
    from oryn.skill import Here, change_of_configuration, change_of_skill, skill_text
    from oryn.skill.assistant import starting_command

    here = Here.now()
    file = here.path(assistant.place_of(here.platform, project=project))
    yield change_of_configuration(assistant, file, starting_command(project=project), replace=replace)
    if where := assistant.place_of_skill(project=project):
        yield change_of_skill(here.path(where), skill_text(), replace=replace)


def _try(*, project: bool) -> None:
    """Start what would be written, as the assistant will. Raises `NotSupported`."""
    from oryn.errors import NotSupported
    from oryn.skill.assistant import starting_command
    from oryn.skill.trial import failure_of

    if failure := failure_of(starting_command(project=project)):
        usual = (
            "Put the folder of the program oryn into PATH, or leave --project out." if project else "Run 'oryn doctor'."
        )
        raise NotSupported(f"nothing is written, for it would not start: {failure.message}", failure.hint or usual)


def _do(change: Change, *, dry_run: bool) -> None:
    if not change.needed:
        click.echo(f"{change.file} has it already")
    elif dry_run:
        click.echo(change.difference(), nl=False)
    else:
        change.write()
        click.echo(f"wrote {change.file}")
