"""`oryn skill`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from oryn.skill import PLATFORMS, assistants

if TYPE_CHECKING:
    from oryn.skill import Assistant, FileChange


@click.command()
@click.option(
    "--for", "name", type=click.Choice(tuple(assistants())), help="Show what this assistant needs, and where."
)
@click.option("--project", is_flag=True, help="Configure only the project in this folder, not the user.")
@click.option("--install", is_flag=True, help="Write the assistant's files; other content stays.")
@click.option("--dry-run", is_flag=True, help="Show what --install would change.")
@click.option("--replace", is_flag=True, help="Replace a different entry or file of the same name.")
def skill(name: str | None, project: bool, install: bool, dry_run: bool, replace: bool) -> None:
    """Print SKILL.md, or install it.

    SKILL.md teaches a model the language. --install writes it for an assistant together with the MCP server.

    \b
      oryn skill                             print SKILL.md
      oryn skill --for cursor                show what to write where
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
        click.echo("\n".join(_describe(assistant, project=project)))
        return
    # All changes are computed, and the server is tried, before the first file is written: an error leaves all files
    # unchanged.
    changes = list(_changes(assistant, project=project, replace=replace))
    if not dry_run:
        _require_startable(project=project)
    for change in changes:
        _apply(change, dry_run=dry_run)
    if not dry_run:
        click.echo(assistant.then)


def _describe(assistant: Assistant, *, project: bool) -> Iterator[str]:
    from oryn.skill.assistant import display_path, server_command
    from oryn.skill.install import DOCUMENTS

    places = {platform: display_path(assistant.configuration_path(platform, project=project)) for platform in PLATFORMS}
    yield assistant.title
    if len(set(places.values())) == 1:
        yield f"  {places[PLATFORMS[0]]}"
    else:
        yield from (f"  {platform + ':':9}{place}" for platform, place in places.items())
    yield ""
    entry = assistant.server_entry(server_command(project=project))
    yield str(DOCUMENTS[assistant.format].with_entry("", assistant.keys, entry))
    if where := assistant.skill_path(project=project):
        yield f"  {display_path(where)}"
        yield "\nwhat 'oryn skill' prints\n"
    yield assistant.then
    yield f"'oryn skill --for {assistant.name}{' --project' if project else ''} --install' writes it."
    yield f"See {assistant.source}"


def _changes(assistant: Assistant, *, project: bool, replace: bool) -> Iterator[FileChange]:
    from oryn.skill import LocalMachine, configuration_change, skill_change, skill_text
    from oryn.skill.assistant import server_command

    machine = LocalMachine.now()
    file = machine.path(assistant.configuration_path(machine.platform, project=project))
    yield configuration_change(assistant, file, server_command(project=project), replace=replace)
    if where := assistant.skill_path(project=project):
        yield skill_change(machine.path(where), skill_text(), replace=replace)


def _require_startable(*, project: bool) -> None:
    """Start the server that the configuration would start, as the assistant will. Raises `NotSupported` if it fails."""
    from oryn.errors import NotSupported
    from oryn.skill.assistant import server_command
    from oryn.skill.mcp_servers import check_server

    if failure := check_server(server_command(project=project)):
        usual = (
            "Put the folder of the program oryn into PATH, or leave --project out." if project else "Run 'oryn doctor'."
        )
        raise NotSupported(
            f"nothing was written, because the server would not start: {failure.message}", failure.hint or usual
        )


def _apply(change: FileChange, *, dry_run: bool) -> None:
    if not change.is_needed:
        click.echo(f"{change.file} has it already")
    elif dry_run:
        click.echo(change.difference(), nl=False)
    else:
        change.write()
        click.echo(f"wrote {change.file}")
