"""Colour for answers on a terminal. Pure: what a line begins with decides, and page text never begins a line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TextIO

from oryn.settings.choices import ColourUse

RESET, BOLD, DIM, RED, GREEN, YELLOW, BLUE, CYAN = (f"\x1b[{code}m" for code in (0, 1, 2, 31, 32, 33, 34, 36))

_ELEMENT = re.compile(r"^(\[\d+\]) (\S+)(.*)$")
_BEGINNINGS = {"+ ": GREEN, "- ": RED, "~ ": YELLOW, "@ ": BLUE, "# ": DIM, "| ": DIM}


def wanted(use: ColourUse, stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to `stream`: `auto` asks whether it is a terminal and heeds https://no-color.org."""
    if use != "auto":
        return use == "always"
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def coloured(answer: str) -> str:
    """An answer's text with ANSI colours."""
    return "\n".join(map(_line, answer.split("\n")))


def _line(line: str) -> str:
    if match := _ELEMENT.match(line):
        number, kind, rest = match.groups()
        return f"{CYAN}{number}{RESET} {DIM}{kind}{RESET}{rest}"
    word, _, rest = line.partition(" ")
    if word == "ok":
        return f"{GREEN}ok{RESET} {rest}"
    if word == "error":
        return f"{RED}{BOLD}error{RESET} {rest}"
    colour = _BEGINNINGS.get(line[:2])
    return f"{colour}{line}{RESET}" if colour else line
