"""The assistants of `assistants.json`: where each keeps its servers and its skills, and what an entry looks like."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from oryn.records import Record

Platform = Literal["linux", "macos", "windows"]
PLATFORMS: tuple[Platform, ...] = ("linux", "macos", "windows")

SERVER = "oryn"
"""The server's name in every configuration."""

_PROGRAMS = (SERVER, f"{SERVER}-h", f"{SERVER}-r")
"""What is installed side by side."""

_USUAL = {"XDG_CONFIG_HOME": "~/.config", "APPDATA": "~/AppData/Roaming"}
"""What a variable stands for where it is not set."""


class Here(Record):
    """One user's machine: what `~` and variables stand for, and the folder whose project is meant."""

    platform: Platform
    home: Path
    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def now(cls) -> Here:
        return cls(platform_now(), Path.home(), Path.cwd(), os.environ)

    def path(self, written: str) -> Path:
        """`~/.cursor/mcp.json`, `%APPDATA%/Code`, or a path in the project."""
        first, *rest = PurePosixPath(written).parts
        if first.startswith("%"):
            name = first.strip("%")
            set_to = self.environment.get(name)
            # A relative value is not valid (https://specifications.freedesktop.org/basedir-spec/latest/).
            base = Path(set_to) if set_to and Path(set_to).is_absolute() else self.path(_USUAL[name])
            return base.joinpath(*rest)
        return self.home.joinpath(*rest) if first == "~" else self.folder.joinpath(written)


def platform_now() -> Platform:
    return {"darwin": PLATFORMS[1], "win32": PLATFORMS[2]}.get(sys.platform, PLATFORMS[0])


class Assistant(Record):
    """One assistant. `file` may differ between platforms; `project` is a project's own file, `skills` the folder that
    it reads skills from; each is empty where there is none. `source` is the page that says so."""

    name: str
    title: str
    file: str | dict[Platform, str]
    format: Literal["json", "toml"]
    key: list[str]
    entry: dict[str, Any]
    then: str
    source: str
    project: str = ""
    skills: str = ""
    project_skills: str = ""

    def place_of(self, platform: Platform, *, project: bool = False) -> str:
        """Where the configuration is, for `Here.path`."""
        if project:
            return self.project
        return self.file if isinstance(self.file, str) else self.file[platform]

    def place_of_skill(self, *, project: bool = False) -> str:
        """Where the skill belongs, likewise; empty where the assistant reads none."""
        folder = self.project_skills if project else self.skills
        return f"{folder}/{SERVER}/SKILL.md" if folder else ""

    def made(self, command: list[str]) -> dict[str, Any]:
        """The entry of a server that `command` starts."""
        values: dict[str, Any] = {"{command}": command[0], "{args}": command[1:], "{line}": command}
        return {
            name: values.get(value, value) if isinstance(value, str) else value for name, value in self.entry.items()
        }

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead to the entry."""
        return (*self.key, SERVER)


@cache
def assistants() -> dict[str, Assistant]:
    """Every one that is known, by name."""
    data = json.loads(files("oryn.skill").joinpath("assistants.json").read_text("utf-8"))
    return {name: Assistant(name=name, **fields) for name, fields in data.items()}


def for_people(place: str) -> str:
    """A place as people write it."""
    return place.replace("%XDG_CONFIG_HOME%", _USUAL["XDG_CONFIG_HOME"])


def starting_command(*, project: bool = False) -> list[str]:
    """What starts the server. Assistants with a window of their own have no `PATH` of a shell, so the command is whole,
    and that of the Oryn that runs now; a project's file is also for others, whose Oryn stands elsewhere."""
    return [SERVER, "mcp"] if project else [*own_program(), "mcp"]


def own_program() -> list[str]:
    """What starts this very Oryn, whichever other is in `PATH`: the program that was called, or else this Python with
    this package."""
    called = Path(sys.argv[0] if sys.argv else "")
    if called.stem in _PROGRAMS:
        beside = called.absolute().with_name(SERVER + called.suffix)
        if found := shutil.which(str(beside)):
            return [found]
    return [sys.executable, "-m", "oryn"]
