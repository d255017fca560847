"""Whether the command line colours what it prints, and how: the only place that decides it.

A pipe gets no colours, unless the user wants them always. The setting `colour` decides first, then the variables
https://no-color.org and https://force-color.org, then whether the output is a terminal."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from typing import TextIO

    from oryn.settings.types import ColourUse

VARIABLE = "ORYN_COLOUR"
FLAGS = ("--color", "--colour")


def take_colour_flag(rest: list[str]) -> bool:
    """Move `--color VALUE` from the start of `rest` to the environment of this process, where every command finds it.

    Returns False, without a change, if `rest` does not begin with it. Raises `ConfigurationError`."""
    if rest[0].partition("=")[0] not in FLAGS:
        return False
    from oryn.cli.fast.session_settings import wire_value
    from oryn.settings.flags import flags_of, take_flag

    taken = take_flag(rest, flags_of(["colour"]))
    assert taken is not None
    os.environ[VARIABLE] = wire_value(taken[0], str(taken[1]))
    return True


def painted(text: str, stream: TextIO) -> str:
    """An answer, an error or help, coloured if that suits `stream`: standard output or standard error."""
    if not is_coloured(stream):
        return text
    from oryn.hosts.terminal import colourize

    return colourize(text)


def is_coloured(stream: TextIO) -> bool:
    """Whether to colour output to `stream`."""
    from oryn.hosts.terminal import use_colour

    return use_colour(_setting(), stream)


def _setting() -> ColourUse:
    """The setting `colour` of this process."""
    from oryn.errors import ConfigurationError
    from oryn.settings import load
    from oryn.system.paths import find

    try:
        return load({}, find()).settings.colour
    except ConfigurationError:  # the command that needs the settings reports it, also in colour
        return "auto"


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print an answer, an error or help, in colours if that suits."""
    to = stream or sys.stdout
    to.write(f"{painted(text, to).encode('utf-8', 'backslashreplace').decode()}\n")
    to.flush()
