"""The entry points. What an error tells and which exit code it has is decided here, once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from oryn.errors import OrynError


def main(arguments: Sequence[str] | None = None) -> None:
    """`oryn`: run the command line and exit."""
    # Importing makes much and drops little: looking for garbage meanwhile takes a tenth of the time.
    gc.set_threshold(20_000, 20, 20)
    from oryn.cli.app import app

    try:
        app(args=arguments, prog_name="oryn")
    except OrynError as error:
        sys.stderr.write(f"error: {error.message}\n")
        if error.hint:
            sys.stderr.write(f"hint: {error.hint}\n")
        sys.exit(error.exit_code)


def headless() -> None:
    """`oryn-h`: the same as `oryn headless`, under the name that client libraries look for (seed 000 §4.3)."""
    main(["headless", *sys.argv[1:]])
