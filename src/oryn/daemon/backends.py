"""The browsers that a session can be asked to have (`--backend`), and those of them that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.errors import InvalidValue, SessionExists
from oryn.modes import MODES, refuse

if TYPE_CHECKING:
    from oryn.engine.hosting import Known
    from oryn.language import Line
    from oryn.settings import Configuration


def mode_of(name: str | None) -> str | None:
    """The mode that a backend is; None where nobody said. Raises `NotSupported` for what is to come, `InvalidValue` for
    what is no backend."""
    if name is None:
        return None
    refuse(name)
    mode = MODES.get(name.lower())
    if mode is None:
        raise InvalidValue("there is no such backend", f"One of {', '.join(MODES)}.")
    return mode


OF_A_COMMAND = ("timeout", "strict")
"""Settings that each command has an option for."""


def for_one(line: Line, settings: Mapping[str, Any], configuration: Configuration) -> tuple[Line, Mapping[str, Any]]:
    """The line with those of the settings that one command can have, and the settings that are left: `oryn --timeout 60
    title` can't be about a session that is open already. Raises `ConfigurationError`."""
    own = {name: settings[name] for name in OF_A_COMMAND if name in settings}
    command = line.command
    if not own or command is None:
        return line, settings
    meant = configuration.replaced(own).settings
    wanted: dict[str, Any] = {}
    if "timeout" in own and "timeout" in command.spec.options and command.timeout is None:
        wanted["timeout"] = meant.timeout
    if "strict" in own and "strict" in command.spec.options and meant.strict:
        wanted["strict"] = True
    left = {name: value for name, value in settings.items() if name not in own}
    return line.replace(command=command.replace(**wanted)), left


def settings_with(
    settings: Mapping[str, Any], mode: str | None, session: str, own: Iterable[Known]
) -> Mapping[str, Any]:
    """The settings of a session whose caller says so much of its backend; `own` are the host's sessions. Raises
    `SessionExists` where it is in another."""
    if mode is None:
        return settings
    there = next((one for one in own if one.name == session), None)
    if there is None:
        return {**settings, "backend": mode}
    if there.mode not in (None, mode):
        raise SessionExists(
            f"the session {session} is in a browser of mode {there.mode}", "Close it first, or name another session."
        )
    return settings
