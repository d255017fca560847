"""Where the engine is (seed 000 §4.3): the path that the user gave, PATH, then where it is often installed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from oryn import DISTRIBUTION
from oryn.errors import EngineNotFound

NAMES = {"headless": "oryn-h", "embedded": "oryn-e"}
"""The engine's own name in each mode that starts one."""
_GENERAL = "oryn"
"""The program that has all modes, as its commands."""


def usual_folders() -> list[Path]:
    """Where installers put programs, and at last the environment that this Python belongs to."""
    home = Path.home()
    beside = [Path(sys.executable).parent] if sys.executable else []
    return [home / ".local/bin", Path("/usr/local/bin"), home / ".cargo/bin", *beside]


def engine_command(
    mode: str,
    binary: str | os.PathLike[str] | None = None,
    *,
    path: str | None = None,
    folders: Sequence[Path] | None = None,
) -> list[str]:
    """The first words of the command line that starts the engine of a mode of `NAMES`: `["/usr/bin/oryn-h"]`, or
    `["/usr/bin/oryn", "headless"]`. `path` is PATH where None, `folders` are `usual_folders()`.

    Raises `EngineNotFound`, which says where it looked and how to install it."""
    path = os.environ.get("PATH", os.defpath) if path is None else path
    if binary is not None:
        found = shutil.which(os.path.expanduser(binary), path=path)
        if found is None:
            raise EngineNotFound(f"there is no program {os.fspath(binary)}", "It must be a file that can be run.")
        return _command(found, mode)
    folders = usual_folders() if folders is None else folders
    for place in (path, *map(str, folders)):
        for name in (NAMES[mode], _GENERAL):
            if found := shutil.which(name, path=place):
                return _command(found, mode)
    raise EngineNotFound(
        f"neither {NAMES[mode]} nor {_GENERAL} is in PATH, nor in {', '.join(map(str, folders))}",
        f"Install it ('pip install {DISTRIBUTION}'), or say where it is: Oryn(binary=…).",
    )


def _command(program: str, mode: str) -> list[str]:
    return [program, mode] if Path(program).stem == _GENERAL else [program]
