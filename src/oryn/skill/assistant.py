"""The assistants of `assistants.json`: where each stores its MCP servers and its skills, and the format of an entry."""

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

from oryn.core.records import Record

Platform = Literal["linux", "macos", "windows"]
PLATFORMS: tuple[Platform, ...] = ("linux", "macos", "windows")

SERVER_NAME = "oryn"
"""The server's name in every configuration."""

_PROGRAMS = (SERVER_NAME, f"{SERVER_NAME}-h", f"{SERVER_NAME}-r")
"""The programs that are installed side by side."""

_DEFAULT_FOLDERS = {"XDG_CONFIG_HOME": "~/.config", "APPDATA": "~/AppData/Roaming"}
"""The defaults of variables that are not set."""


class LocalMachine(Record):
    """One user's machine: the values of `~` and variables, and the current project's folder."""

    platform: Platform
    home: Path
    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def now(cls) -> LocalMachine:
        """The machine of this process, with its environment variables and current folder."""
        return cls(current_platform(), Path.home(), Path.cwd(), os.environ)

    def path(self, written: str) -> Path:
        """Resolve a path such as `~/.cursor/mcp.json` or `%APPDATA%/Code`, or one in the project."""
        first, *rest = PurePosixPath(written).parts
        if first.startswith("%"):
            name = first.strip("%")
            set_to = self.environment.get(name)
            # A relative value is not valid (https://specifications.freedesktop.org/basedir-spec/latest/).
            base = Path(set_to) if set_to and Path(set_to).is_absolute() else self.path(_DEFAULT_FOLDERS[name])
            return base.joinpath(*rest)
        return self.home.joinpath(*rest) if first == "~" else self.folder.joinpath(written)


def current_platform() -> Platform:
    """The platform of this process. Platforms other than macOS and Windows count as Linux."""
    return {"darwin": PLATFORMS[1], "win32": PLATFORMS[2]}.get(sys.platform, PLATFORMS[0])


class Assistant(Record):
    """One assistant.

    `file` may differ between platforms. `project` is a project's own file, `skills` the folder from which the assistant
    reads skills; each is empty if the assistant has none. `source` is the documentation page with these facts."""

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

    def configuration_path(self, platform: Platform, *, project: bool = False) -> str:
        """The path of the configuration file, for `LocalMachine.path`."""
        if project:
            return self.project
        return self.file if isinstance(self.file, str) else self.file[platform]

    def skill_path(self, *, project: bool = False) -> str:
        """The path of the skill, for `LocalMachine.path`; empty if the assistant reads no skills."""
        folder = self.project_skills if project else self.skills
        return f"{folder}/{SERVER_NAME}/SKILL.md" if folder else ""

    def server_entry(self, command: list[str]) -> dict[str, Any]:
        """The entry of a server that `command` starts."""
        values: dict[str, Any] = {"{command}": command[0], "{args}": command[1:], "{line}": command}
        return {
            name: values.get(value, value) if isinstance(value, str) else value for name, value in self.entry.items()
        }

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead to Oryn's entry in `file`, from the outermost to the server's name."""
        return (*self.key, SERVER_NAME)


@cache
def assistants() -> dict[str, Assistant]:
    """All supported assistants, by name."""
    data = json.loads(files("oryn.skill").joinpath("assistants.json").read_text("utf-8"))
    return {name: Assistant(name=name, **fields) for name, fields in data.items()}


def display_path(place: str) -> str:
    """A path in the form that people write."""
    return place.replace("%XDG_CONFIG_HOME%", _DEFAULT_FOLDERS["XDG_CONFIG_HOME"])


def server_command(*, project: bool = False) -> list[str]:
    """The command that starts the server.

    Assistants with a graphical interface do not have a shell's `PATH`, so the command has the full path of the running
    Oryn. A project's file has the bare name, as it is also for others, whose Oryn is installed elsewhere."""
    return [SERVER_NAME, "mcp"] if project else [*running_program(), "mcp"]


def running_program() -> list[str]:
    """The command that starts the running Oryn, even if another one is in `PATH`.

    It is the program that was called, or else this Python with this package."""
    called = Path(sys.argv[0] if sys.argv else "")
    if called.stem in _PROGRAMS:
        beside = called.absolute().with_name(SERVER_NAME + called.suffix)
        if found := shutil.which(str(beside)):
            return [found]
    return [sys.executable, "-m", "oryn"]
