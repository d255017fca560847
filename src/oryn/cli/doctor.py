"""`oryn doctor`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from oryn.cli import checks
from oryn.cli.flags import option
from oryn.errors import BrowserNotFound, ConfigurationError
from oryn.hosts import terminal
from oryn.settings import EVERYWHERE, SETTINGS, Configuration, load
from oryn.system import paths
from oryn.system.logs import log_to_standard_error

_COLOURS = {"ok": terminal.GREEN, "warning": terminal.YELLOW, "missing": terminal.RED, "wrong": terminal.RED}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--only",
    metavar="CHECK",
    help="Run only this check.",
    shell_complete=lambda _, __, prefix: [each for each in checks.CHECKS if each.startswith(prefix)],
)
@click.pass_context
def doctor(context: click.Context, /, as_json: bool, only: str | None, **flags: Any) -> None:
    """Check the installation, and suggest fixes.

    It reports what was found, what is missing or wrong, and the command that fixes it.

    The exit code is 3 if Oryn does not work as it is: without a browser or the daemon, if settings can't be read, or if
    an assistant's configuration fails to start the server."""
    if only not in (None, *checks.CHECKS):
        raise ConfigurationError(f"there is no check called {only!r}", f"The checks: {', '.join(checks.CHECKS)}.")
    options = {**(context.find_root().obj or {}), **{name: value for name, value in flags.items() if value is not None}}
    configuration, problem = _load_settings(options)
    log_to_standard_error(configuration.settings.log_level, configuration.settings.log_format)
    findings = []
    for finding in checks.run(configuration, only, problem):
        findings.append(finding)
        if not as_json:
            click.echo(_row(finding, terminal.use_colour(configuration.settings.colour, sys.stdout)))
    failed = [finding for finding in findings if finding.state in checks.FAILED_STATES]
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [asdict(finding) for finding in findings]}, indent=2))
    if failed:
        sys.exit(BrowserNotFound.exit_code)


for _name in reversed(("browser", "headful", *EVERYWHERE)):
    option(SETTINGS[_name])(doctor)


def _load_settings(flags: Mapping[str, Any]) -> tuple[Configuration, ConfigurationError | None]:
    """Load the settings. If the environment or `config.toml` is invalid, return the settings without it, and the error.

    Raises `ConfigurationError` for invalid flags."""
    found = paths.find()
    try:
        return load(flags, found), None
    except ConfigurationError as error:
        problem = error
    without_file = found.replace(config=Path(os.devnull))
    for environment, folders in ((os.environ, without_file), ({}, found), ({}, without_file)):
        try:
            configuration = load(flags, folders, environment)
        except ConfigurationError as error:
            last = error
            continue
        return Configuration(configuration.settings, configuration.origins, found), problem
    raise last


def _row(finding: checks.Finding, in_colour: bool) -> str:
    state = f"{finding.state:8}"
    if in_colour:
        state = f"{_COLOURS[finding.state]}{state}{terminal.RESET}"
    mend = f"\n{'':24}fix: {finding.mend}" if finding.mend else ""
    return f"{finding.name:14}  {state}{finding.found}{mend}"
