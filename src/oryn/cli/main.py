"""The entry points; what ends a command is reported by `oryn.cli.errors`, which chooses the exit code."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    import click

    Backend = Literal["embedded", "playwright"]

COMPLETION_VARIABLE = "_ORYN_COMPLETE"
"""The variable by which a shell requests completions of a command line."""
_BACKENDS: tuple[Backend, ...] = ("embedded", "playwright")
"""Backends with a command of their own that consists of settings only."""


def main(arguments: Sequence[str] | None = None) -> None:
    """`oryn`: run the command line and exit."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        from oryn.cli.fast.main import STREAMED, parse_request, run

        if COMPLETION_VARIABLE in os.environ:
            from oryn.cli.shell_completion import complete

            sys.exit(complete(os.environ[COMPLETION_VARIABLE], COMPLETION_VARIABLE, _own_commands))
        request = parse_request(words)
        if request is None:
            _run_own_command(words)
            return
        if request.words[0] in STREAMED:
            from oryn.cli.fast.stream import run
        code = run(request)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - whatever ends a command is reported in one form
        from oryn.cli.errors import report

        sys.exit(report(error, words))
    if arguments is None:
        # Nothing is open that needs an orderly exit, which would take a fifth of the time.
        os._exit(code)
    sys.exit(code)


def _run_own_command(words: Sequence[str]) -> None:
    """Run a command that the command line itself implements; ends the process."""
    import gc

    # Imports create many objects and drop few: garbage collection meanwhile would take a tenth of the time.
    gc.set_threshold(20_000, 20, 20)
    from oryn.cli.fast.main import own_command_words

    words = own_command_words(words)
    if words[:1] != ["install-browser"]:  # what a package manager installs is for every user
        # Whatever this process and those that it starts make (folders on the way, databases, a browser's files) is for
        # their user alone.
        os.umask(os.umask(0o077) | 0o077)
    if words[:1] == ["headless"]:
        from oryn.hosts.headless import plain_configuration, run

        if (configuration := plain_configuration(words[1:])) is not None:  # else the words need the full parser
            sys.exit(run(configuration))
    for backend in _BACKENDS:
        if words[:1] == [backend]:
            _run_backend(backend, words[1:])
    # Outside of its standalone mode, click raises its errors; `main` reports them.
    sys.exit(_own_commands().main(words, "oryn", standalone_mode=False) or 0)


def _own_commands() -> click.Group:
    from oryn.cli.app import app

    return app


def _run_backend(backend: Backend, words: Sequence[str]) -> None:
    """Run `oryn embedded` or `oryn playwright` and end the process, unless the words need the full parser."""
    from oryn.hosts.headless import plain_configuration

    if (configuration := plain_configuration(words)) is not None:
        from oryn.hosts.backend_engine import run

        sys.exit(run(configuration, backend))


def headless() -> None:
    """`oryn-h`: the same as `oryn headless`, under the name that client libraries search for."""
    main(["headless", *sys.argv[1:]])


def embedded() -> None:
    """`oryn-e`: the same as `oryn embedded`."""
    main(["embedded", *sys.argv[1:]])


def playwright() -> None:
    """`oryn-p`: the same as `oryn playwright`."""
    main(["playwright", *sys.argv[1:]])


def remote() -> None:
    """`oryn-r`: the same as `oryn remote`."""
    main(["remote", *sys.argv[1:]])
