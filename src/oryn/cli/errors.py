"""Reports what ends a command of the command line: in one form on a terminal, and in one as JSON (`--json`).

Exceptions of other packages and of the system become errors of Oryn's tree here, and nowhere else in `oryn.cli`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from oryn.cli.fast.commands import COMMANDS, GROUPS, SHORTCUTS
from oryn.cli.fast.main import INTERRUPTED, after_options
from oryn.core.error_text import error_fields, error_text
from oryn.errors import (
    FileError,
    InternalError,
    InvalidValue,
    MissingArgument,
    OrynError,
    UnexpectedInput,
    UnknownCommand,
)

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    import click

_JSON_OPTIONS = ("--json", "--json-lines")


def report(error: BaseException, words: Sequence[str]) -> int:
    """Print why the command line with these words failed; return its exit code.

    With `--json` the error goes to standard output as one JSON object, else to standard error as text."""
    if isinstance(error, KeyboardInterrupt) or _is_abort(error):
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    if (text := _requested_help(error)) is not None:
        sys.stdout.write(f"{text}\n")
        return 0
    mapped = oryn_error(error)
    if any(word in _JSON_OPTIONS for word in words):
        import json

        sys.stdout.write(f"{json.dumps(error_fields(mapped))}\n")
    else:
        print_error(error_text(mapped, command_name(words)))
    return mapped.exit_code


def print_error(text: str) -> None:
    """Print an error's text to standard error."""
    from oryn.cli.fast.colour import print_text

    print_text(text, sys.stderr)


def command_name(words: Sequence[str]) -> str:
    """The name of the command that words call, without its arguments, which may contain secrets: `vault set`."""
    rest = after_options(words)
    if not rest or rest[0].startswith("-"):
        return ""
    if rest[0] in GROUPS and len(rest) > 1 and not rest[1].startswith("-"):
        return f"{rest[0]} {rest[1]}"
    return rest[0] if rest[0] in COMMANDS or rest[0] in SHORTCUTS or _is_verb(rest[0]) else ""


def oryn_error(error: BaseException) -> OrynError:
    """The error of Oryn's tree for any exception. What nothing else fits is a bug in Oryn: `InternalError`."""
    if isinstance(error, OrynError):
        return error
    if "click" in sys.modules:
        import click

        if isinstance(error, click.ClickException):
            return _usage_error(error)
    if isinstance(error, OSError) and error.strerror:
        name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
        return FileError(f"{name}: {error.strerror}" if name else error.strerror)
    message = f"{type(error).__name__}: {error} ({_place(error)})"
    return InternalError(message)


def _usage_error(error: click.ClickException) -> OrynError:
    """The error for a rejected command line. Its hint is what the command takes."""
    import click

    message, _, suggestion = error.format_message().rstrip(".").partition(". Did you mean")
    message = message[:1].lower() + message[1:]
    if isinstance(error, click.FileError):
        return FileError(message)
    kinds: tuple[tuple[type[click.ClickException], type[OrynError]], ...] = (
        (click.MissingParameter, MissingArgument),
        (click.BadParameter, InvalidValue),
        (click.exceptions.NoSuchCommand, UnknownCommand),
        (click.ClickException, UnexpectedInput),
    )
    kind = next(ours for foreign, ours in kinds if isinstance(error, foreign))
    hint = None
    if isinstance(error, click.UsageError) and (context := error.ctx):
        pieces = " ".join(context.command.collect_usage_pieces(context)).strip()
        hint = f"{context.command_path} {pieces}: '{context.command_path} --help' explains it."
    return kind(message, f"Did you mean{suggestion} {hint or ''}".rstrip() if suggestion else hint)


def _requested_help(error: BaseException) -> str | None:
    """The help that a group without a command prints (`oryn daemon`); None for errors."""
    if "click" not in sys.modules:
        return None
    import click

    return error.ctx.get_help() if isinstance(error, click.exceptions.NoArgsIsHelpError) and error.ctx else None


def _is_abort(error: BaseException) -> bool:
    if "click" not in sys.modules:
        return False
    import click

    return isinstance(error, click.Abort)


def _is_verb(word: str) -> bool:
    from oryn.language import api_vocabulary

    return api_vocabulary().find(word.lower()) is not None


def _place(error: BaseException) -> str:
    """The line of code that raised an error: `config.py:20`."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "no traceback"
