"""`oryn parse`."""

from __future__ import annotations

import json
import sys

import click


@click.command()
def parse() -> None:
    """Parse lines of the language into JSON.

    It reads standard input and prints one JSON object for each line that is not blank. If a line has an error, the exit
    code is that of the error."""
    from oryn.errors import LanguageError
    from oryn.language import parse_output

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    code = 0
    for parsed in parse_output(text):
        code = LanguageError.exit_code if "error" in parsed else code
        sys.stdout.buffer.write(json.dumps(parsed, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()
    sys.exit(code)
