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

from oryn import paths
from oryn.cli import checks
from oryn.cli.flags import option
from oryn.errors import BrowserNotFound, ConfigurationError
from oryn.host import colour
from oryn.logs import log_to_standard_error
from oryn.settings import EVERYWHERE, SETTINGS, Configuration, load

_COLOURS = {"ok": colour.GREEN, "warning": colour.YELLOW, "missing": colour.RED, "wrong": colour.RED}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--only", metavar="CHECK", help="Make one check.", shell_complete=lambda *_: list(checks.CHECKS))
@click.pass_context
def doctor(context: click.Context, /, as_json: bool, only: str | None, **flags: Any) -> None:
    """Say what is found, what is missing or wrong, and the command that mends it.

    The exit code is 3 if Oryn does not work as it is: without a browser or the daemon, with settings that can't be
    read, or for an assistant whose configuration starts nothing."""
    if only not in (None, *checks.CHECKS):
        raise ConfigurationError(f"there is no check called {only!r}", f"The checks: {', '.join(checks.CHECKS)}.")
    given = {**(context.find_root().obj or {}), **{name: value for name, value in flags.items() if value is not None}}
    configuration, problem = _settled(given)
    log_to_standard_error(configuration.settings.log_level)
    findings = []
    for finding in checks.run(configuration, only, problem):
        findings.append(finding)
        if not as_json:
            click.echo(_row(finding, colour.wanted(configuration.settings.colour, sys.stdout)))
    failed = [finding for finding in findings if finding.state in checks.FAILED]
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [asdict(finding) for finding in findings]}, indent=2))
    if failed:
        sys.exit(BrowserNotFound.exit_code)


for _name in reversed(("browser", "headful", "colour", *EVERYWHERE)):
    option(SETTINGS[_name])(doctor)


def _settled(flags: Mapping[str, Any]) -> tuple[Configuration, ConfigurationError | None]:
    """The settings; where the environment or `config.toml` are wrong, what holds without them, and why. Raises
    `ConfigurationError` for wrong flags."""
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
        state = f"{_COLOURS[finding.state]}{state}{colour.RESET}"
    mend = f"\n{'':24}mend: {finding.mend}" if finding.mend else ""
    return f"{finding.name:14}  {state}{finding.found}{mend}"
