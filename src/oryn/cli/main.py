"""The entry points. What an error tells and which exit code it has is decided here, once."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence

    from oryn.errors import OrynError

COMPLETING = "_ORYN_COMPLETE"
"""The variable by which a shell asks how a command line could go on."""


def main(arguments: Sequence[str] | None = None) -> None:
    """`oryn`: run the command line and exit."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        from oryn.client.verbs import STREAMED, asked_by, run

        asked = None if COMPLETING in os.environ else asked_by(words)
        if asked is None:
            _own_command(words)
            return
        if asked.words[0] in STREAMED:
            from oryn.cli.streaming import run
        code = run(asked)
    except Exception as error:  # ours are told; their class is imported only now, for the quick way has no time for it
        from oryn.errors import OrynError

        if not isinstance(error, OrynError):
            raise
        sys.exit(_told(error, as_json="--json" in words))
    if arguments is None:
        # Nothing is open that an orderly end would close, and that would take a fifth of the time.
        os._exit(code)
    sys.exit(code)


def _own_command(words: Sequence[str]) -> None:
    """Run a command of our own, which ends the process."""
    import gc

    # Importing makes much and drops little: looking for garbage meanwhile takes a tenth of the time.
    gc.set_threshold(20_000, 20, 20)
    from oryn.client.verbs import own

    words = own(words)
    if words[:1] == ["headless"] and COMPLETING not in os.environ:
        _headless(words[1:])
    from oryn.cli.app import app

    if COMPLETING in os.environ:
        from oryn.cli.completing import prepare

        prepare(app)
    app(args=words, prog_name="oryn", complete_var=COMPLETING)


def _headless(words: Sequence[str]) -> None:
    """Run `oryn headless`, and end the process, unless the words want a closer reading."""
    from oryn.host.headless import plain_configuration, run

    if (configuration := plain_configuration(words)) is not None:
        sys.exit(run(configuration))


def _told(error: OrynError, *, as_json: bool) -> int:
    """Print an error that no daemon has answered; its exit code."""
    if as_json:
        import json

        about = {"error": error.message, "error_kind": error.code.lower(), "hint": error.hint}
        sys.stdout.write(f"{json.dumps({'ok': False, **about})}\n")
        return error.exit_code
    sys.stderr.write(f"error: {error.message}\n")
    if error.hint:
        sys.stderr.write(f"hint: {error.hint}\n")
    return error.exit_code


def headless() -> None:
    """`oryn-h`: the same as `oryn headless`, under the name that client libraries look for (seed 000 §4.3)."""
    main(["headless", *sys.argv[1:]])


def remote() -> None:
    """`oryn-r`: the same as `oryn remote`."""
    main(["remote", *sys.argv[1:]])
