"""`oryn doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from oryn.cli import checks
from oryn.cli.flags import configured
from oryn.errors import BrowserNotFound, ConfigurationError
from oryn.host import colour
from oryn.settings import Configuration

_COLOURS = {"ok": colour.GREEN, "warning": colour.YELLOW, "missing": colour.RED}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--only", metavar="CHECK", help="Make one check.", shell_complete=lambda *_: list(checks.CHECKS))
@configured("browser", "headful", "colour")
def doctor(configuration: Configuration, as_json: bool, only: str | None) -> None:
    """Say what is found, what is missing, and the command that mends it."""
    if only not in (None, *checks.CHECKS):
        raise ConfigurationError(f"there is no check called {only!r}", f"The checks: {', '.join(checks.CHECKS)}.")
    findings = []
    for finding in checks.run(configuration, only):
        findings.append(finding)
        if not as_json:
            click.echo(_row(finding, colour.wanted(configuration.settings.colour, sys.stdout)))
    missing = [finding for finding in findings if finding.state == "missing"]
    if as_json:
        click.echo(json.dumps({"ok": not missing, "checks": [asdict(finding) for finding in findings]}, indent=2))
    if missing:
        sys.exit(BrowserNotFound.exit_code)


def _row(finding: checks.Finding, in_colour: bool) -> str:
    state = f"{finding.state:8}"
    if in_colour:
        state = f"{_COLOURS[finding.state]}{state}{colour.RESET}"
    mend = f"\n{'':24}mend: {finding.mend}" if finding.mend else ""
    return f"{finding.name:14}  {state}{finding.found}{mend}"
