"""`oryn install-browser`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Literal

import click

from oryn.errors import BrowserNotFound
from oryn.system.environment import worker_environment

if TYPE_CHECKING:
    from oryn.system.browser_installation import BrowserInstallation

_STANDARD_ERROR = 2


@click.command()
@click.option(
    "--from",
    "source",
    type=click.Choice(("auto", "system", "playwright")),
    default="auto",
    show_default=True,
    help="system: the package manager. playwright: a build of Playwright's. auto: the first that works.",
)
@click.option("--dry-run", is_flag=True, help="Print the commands instead of running them.")
@click.option("--force", is_flag=True, help="Install a browser even if one is already installed.")
def install_browser(source: Literal["auto", "system", "playwright"], dry_run: bool, force: bool) -> None:
    """Install Chromium.

    It comes from the system's package manager (apt, dnf, zypper, pacman, apk, Homebrew, winget), or from Playwright's
    servers. If neither can be reached, the answer says why. A browser that is there already is left alone."""
    from oryn.browsers.chromium.discovery import candidates
    from oryn.system.browser_installation import PAGE, installations

    if not force and not dry_run and (found := candidates()):
        click.echo(f"{found[0].name} is there already: {found[0].executable}")
        return
    ways = [way for way in installations() if source in ("auto", way.source)]
    if dry_run:
        for way in ways:
            click.echo(f"{way.source}: {way.text}")
    failures = []
    for way in () if dry_run else ways:
        failure = _run(way)
        if failure is None and (found := candidates()):
            click.echo(f"installed {found[0].name}: {found[0].executable}")
            return
        failures.append(f"{way.source}: {failure or 'the commands ran, and there is still no browser'}")
    if dry_run and ways:
        return
    why = "; ".join(failures) or "no supported package manager can be used here, and Node is not installed"
    raise BrowserNotFound(f"no browser was installed ({why})", f"Install Chrome or Chromium: {PAGE}.")


def _run(way: BrowserInstallation) -> str | None:
    """Run the commands, whose output the user sees. Returns why they failed, or None."""
    for words in way.commands:
        click.echo(f"$ {' '.join(words)}", err=True)
        try:
            code = subprocess.run(words, stdout=_STANDARD_ERROR, env=worker_environment(), check=False).returncode
        except OSError as error:
            return f"{words[0]} can't be run: {error.strerror}"
        if code:
            return f"'{' '.join(words)}' ended with exit code {code}"
    return None
