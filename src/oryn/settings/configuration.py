"""The settings of a process: from flags, the environment and `config.toml`, and what its callers may say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from oryn.errors import ConfigurationError
from oryn.paths import Paths
from oryn.records import Record
from oryn.settings.declared import LIMITS, SETTINGS, Settings
from oryn.settings.setting import Setting

Origin = Literal["flag", "environment", "config.toml", "default"]


class Configuration(Record):
    """The settings of a process, where each came from, and the folders."""

    settings: Settings
    origins: Mapping[str, Origin]
    paths: Paths

    def replaced(self, settings: Mapping[str, Any]) -> Configuration:
        """With these values, as text or as TOML has them, in the place of its own. Raises `ConfigurationError`."""
        for name in settings:
            if name not in SETTINGS:
                raise _unknown(name, "there is")
            if SETTINGS[name].hosts:
                raise ConfigurationError(f"{name} is the host's to say", "Set it where the host is started.")
        values = {name: _read(SETTINGS[name], value, "flag") for name, value in settings.items()}
        for name in LIMITS.intersection(values):
            if getattr(self.settings, name) not in (SETTINGS[name].default, values[name]):
                raise ConfigurationError(
                    f"{name} is the host's to say, and it has said so", "Leave the setting out: the host's holds."
                )
        origins: dict[str, Origin] = {**self.origins, **dict.fromkeys(values, "flag")}
        return Configuration(self.settings.replace(**values), origins, self.paths)

    def without(self, name: str) -> Configuration:
        """With the default in the place of one value."""
        settings = self.settings.replace(**{name: SETTINGS[name].default})
        return Configuration(settings, {**self.origins, name: "default"}, self.paths)


def load(
    flags: Mapping[str, Any],
    paths: Paths,
    environment: Mapping[str, str] = os.environ,
) -> Configuration:
    """Resolve every setting. `flags` holds what the command line gave; a value of None was not given.

    Raises `ConfigurationError` naming the setting, the value, where it came from and what it may be."""
    layers: list[tuple[Origin, Mapping[str, Any]]] = [
        ("flag", {name: value for name, value in flags.items() if value is not None}),
        # An empty variable counts as unset, as everywhere on a command line.
        ("environment", {s.name: text for s in SETTINGS.values() if (text := environment.get(s.environment))}),
        ("config.toml", _read_file(paths.config_file)),
    ]
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for name, setting in SETTINGS.items():
        for origin, layer in layers:
            if name in layer:
                values[name], origins[name] = _read(setting, layer[name], origin), origin
                break
        else:
            values[name], origins[name] = setting.default, "default"
    return Configuration(Settings(**values), origins, paths)


def _read(setting: Setting, raw: Any, origin: Origin) -> Any:
    try:
        return setting.kind.read(raw)
    except (ValueError, TypeError) as error:
        source = {
            "flag": f"the flag {setting.flag}",
            "environment": f"the environment variable {setting.environment}",
            "config.toml": "config.toml",
            "default": "the default",
        }[origin]
        raise ConfigurationError(
            f"{setting.name} can't be {setting.public(raw)!r} (from {source})",
            f"{setting.name} may be {setting.kind.may_be}.",
        ) from (None if setting.kind.shown else error)


def _unknown(name: str, where: str) -> ConfigurationError:
    import difflib

    near = difflib.get_close_matches(name[:100], SETTINGS, 1)
    known = f"Did you mean {near[0]}?" if near else "'oryn config' lists the settings."
    return ConfigurationError(f"{where} no setting called {name!r}", known)


def _read_file(file: Path) -> Mapping[str, Any]:
    try:
        stream = file.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigurationError(f"can't read {file}: {error.strerror}", "Correct the file or remove it.") from error
    import tomllib

    try:
        with stream:
            table = tomllib.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"can't read {file}: {error}", "Correct the file or remove it.") from error
    for key in table:
        if key not in SETTINGS:
            raise _unknown(key, "config.toml has")
    return cast("Mapping[str, Any]", table)
