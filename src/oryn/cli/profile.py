"""`oryn profile …`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from oryn.cli.flags import configured
from oryn.cli.tables import table

if TYPE_CHECKING:
    from oryn.profiles.store import Profile
    from oryn.settings import Configuration
    from oryn.system.paths import Paths

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _name(_: click.Context, parameter: click.Parameter, value: str) -> str:
    from oryn.settings.types import SESSION

    try:
        return str(SESSION.read(value))
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a valid name: a name is {SESSION.description}.", param=parameter
        ) from None


_NAME = click.argument("name", callback=_name)


@click.group()
def profile() -> None:
    """Manage browser profiles.

    A profile stores cookies and web storage for sessions with --profile; it can be a copy of an installed browser's."""


@profile.command("list")
@_JSON
@configured()
def list_profiles(configuration: Configuration, as_json: bool) -> None:
    """List the profiles.

    Columns: name, size, last use, the session or process that uses it, and what it is a copy of."""
    from oryn.profiles.store import profiles

    found = list(profiles(configuration.paths.profiles))
    sessions = _sessions(configuration.paths)
    if as_json:
        click.echo(json.dumps([_data(each, sessions) for each in found], indent=2))
    elif found:
        table(("name", "size", "last used", "in use by", "copy of"), [_row(each, sessions) for each in found])
    else:
        click.echo("No profiles. 'oryn profile create <name>' makes one, 'oryn profile copy <name>' a browser's copy.")


@profile.command()
@_NAME
@_JSON
@configured()
def create(configuration: Configuration, name: str, as_json: bool) -> None:
    """Create an empty profile.

    A session with --profile NAME also creates it."""
    from oryn.profiles import store

    folder = store.create(configuration.paths.profiles, name)
    _print_result(
        as_json, {"name": name, "folder": str(folder)}, f"The profile {name} is made: use it with --profile {name}."
    )


@profile.command()
@_NAME
@click.option(
    "--from",
    "source",
    metavar="PROFILE",
    help="Profile to copy: its name in that browser, its directory ('Profile 1') or its folder. Default: the one used "
    "last.",
)
@click.option("--browser", metavar="NAME", help="Installed browser: chrome, edge, … Default: the first found.")
@_JSON
@configured()
def copy(configuration: Configuration, name: str, source: str | None, browser: str | None, as_json: bool) -> None:
    """Copy a profile of an installed browser.

    The copy has its cookies, storage, logins and settings. The original stays unchanged, and that browser may be
    running."""
    from oryn.profiles import installations, store
    from oryn.profiles.lock import browser_in

    found = installations.find(browser, source)
    carried = store.copy(configuration.paths.profiles, name, found)
    notes = carried.notes(found.browser)
    if browser_in(found.user_data) is not None:
        notes.append("the browser is running: the copy lacks data that it has not written to disk yet")
    data = {
        "name": name,
        "from": str(found.folder),
        "browser": found.browser,
        "cookies": carried.cookies,
        "notes": notes,
    }
    message = (
        f"The profile {name} is a copy of {found.folder}, with {carried.cookies} cookies: use it with --profile {name}."
    )
    _print_result(as_json, data, "\n".join([message, *(f"note: {note}" for note in notes)]))


@profile.command()
@_NAME
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@_JSON
@configured()
def delete(configuration: Configuration, name: str, yes: bool, as_json: bool) -> None:
    """Delete a profile that is not in use.

    This deletes its cookies and storage too."""
    from oryn.profiles import store

    place = configuration.paths.profiles
    store.existing(place, name)
    if not yes and sys.stdin is not None and sys.stdin.isatty():
        click.confirm(f"Delete the profile {name} with its cookies and storage?", abort=True)
    store.delete(place, name)
    _print_result(as_json, {"name": name, "deleted": True}, f"The profile {name} is deleted.")


def _print_result(as_json: bool, data: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(data, indent=2) if as_json else text)


def _sessions(paths: Paths) -> dict[str, str]:
    """The running sessions that use a profile, by the profile's name."""
    from oryn.sessions.registry import running
    from oryn.sessions.registry_db import FILE, RegistryDatabase

    alive = {(one.name, one.process) for one in running(paths.sessions)}
    rows = RegistryDatabase(paths.data / FILE).rows(alive)
    return {row.profile: row.id for row in rows if row.status == "running" and row.profile is not None}


def _row(profile: Profile, sessions: dict[str, str]) -> Sequence[object]:
    user = None
    if profile.process is not None:
        session = sessions.get(profile.name)
        user = f"session {session}" if session else f"process {profile.process}"
    used = None if profile.last_use is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(profile.last_use))
    return profile.name, f"{profile.size / 1_000_000:.1f} MB", used, user, profile.source


def _data(profile: Profile, sessions: dict[str, str]) -> dict[str, Any]:
    used = None if profile.last_use is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(profile.last_use))
    user = None
    if profile.process is not None:
        user = {"process": profile.process, "session": sessions.get(profile.name)}
    return {
        "name": profile.name,
        "folder": str(profile.folder),
        "size": profile.size,
        "last_use": used,
        "in_use": user,
        "copy_of": profile.source,
    }
