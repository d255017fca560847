"""The settings of a process, resolved from flags, the environment and `config.toml`, and which of them its callers may
change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.settings.definitions import LIMITS, SETTINGS, Settings
from oryn.settings.setting import Setting
from oryn.system.paths import Paths

_OTHER_KEYS = {
    "default_source": "search_provider",
    "request_throttle_seconds": "throttle",
    "qdrant_collection": "collection",
    "browser_channel": "browser",
    "browser_executable": "browser",
}
"""Other names of keys of `config.toml` (docs/spec/daemon-files.md#configuration), with the setting's name."""

Origin = Literal["flag", "environment", "config.toml", "default"]


class Configuration(Record):
    """The settings of a process, the origin of each, and the folders."""

    settings: Settings
    origins: Mapping[str, Origin]
    paths: Paths

    def with_settings(self, settings: Mapping[str, Any]) -> Configuration:
        """Return a copy with other values.

        settings: values by the settings' names, as text or as TOML values.

        Raises `ConfigurationError` if a name is not a setting, a value has the wrong type, or only the host may set a
        setting or has set it; `allowed_domains` may be narrower than the host's."""
        for name in settings:
            if name not in SETTINGS:
                raise _unknown_setting(name, "there is")
            if SETTINGS[name].hosts:
                raise ConfigurationError(f"{name} is fixed by the host", "Set it where the host is started.")
        values = {
            name: _parse_value(SETTINGS[name], value, "flag", self.paths.config_file)
            for name, value in settings.items()
        }
        for name in LIMITS.intersection(values):
            fixed = getattr(self.settings, name)
            if fixed not in (SETTINGS[name].default, values[name]) and not _is_narrower(name, values[name], fixed):
                raise ConfigurationError(f"{name} is fixed by the host", "Omit the setting: the host's value applies.")
        origins: dict[str, Origin] = {**self.origins, **dict.fromkeys(values, "flag")}
        return Configuration(self.settings.replace(**values), origins, self.paths)

    def with_default(self, name: str) -> Configuration:
        """Return a copy in which one setting has its default."""
        settings = self.settings.replace(**{name: SETTINGS[name].default})
        return Configuration(settings, {**self.origins, name: "default"}, self.paths)


def load(
    flags: Mapping[str, Any],
    paths: Paths,
    environment: Mapping[str, str] = os.environ,
) -> Configuration:
    """Resolve every setting: a flag wins over the environment, that over `config.toml`, that over the default.

    flags: values from the command line, by the settings' names; None counts as absent.
    paths: the folders of Oryn; `config.toml` is read in one of them.
    environment: the environment variables of the process.

    Raises `ConfigurationError` naming the setting, the value, its source and the values that are allowed."""
    layers: list[tuple[Origin, Mapping[str, Any]]] = [
        ("flag", {name: value for name, value in flags.items() if value is not None}),
        # An empty variable counts as unset, as is usual for command-line programs.
        ("environment", {s.name: text for s in SETTINGS.values() if (text := environment.get(s.environment))}),
        ("config.toml", _load_config_file(paths.config_file)),
    ]
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for name, setting in SETTINGS.items():
        for origin, layer in layers:
            if name in layer:
                values[name], origins[name] = _parse_value(setting, layer[name], origin, paths.config_file), origin
                break
        else:
            values[name], origins[name] = setting.default, "default"
    return Configuration(Settings(**values), origins, paths)


def _is_narrower(name: str, value: Any, fixed: Any) -> bool:
    """Whether the value of a limit allows less than the host's."""
    if name != "allowed_domains" or value is None:
        return False
    from oryn.core.urls import common_rules, parse_domain_rule

    rules = tuple(map(parse_domain_rule, value))
    return set(rules) == set(common_rules(rules, tuple(map(parse_domain_rule, fixed))))


def _parse_value(setting: Setting, raw: Any, origin: Origin, file: Path) -> Any:
    try:
        return setting.kind.read(raw)
    except (ValueError, TypeError) as error:
        source = {
            "flag": f"the flag {setting.flag}",
            "environment": f"the environment variable {setting.environment}",
            "config.toml": str(file),
            "default": "the default",
        }[origin]
        raise ConfigurationError(
            f"{setting.name} can't be {setting.public(raw)!r} (from {source})",
            f"{setting.name} must be {setting.kind.description}.",
        ) from (None if setting.kind.redact else error)


def _unknown_setting(name: str, where: str) -> ConfigurationError:
    import difflib

    near = difflib.get_close_matches(name[:100], SETTINGS, 1)
    hint = f"Did you mean {near[0]}?" if near else "'oryn config' lists the settings."
    return ConfigurationError(f"{where} no setting called {name!r}", hint)


def _load_config_file(file: Path) -> Mapping[str, Any]:
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
        if key not in SETTINGS and key not in _OTHER_KEYS:
            raise _unknown_setting(key, f"{file} has")
    return _with_own_keys(cast("Mapping[str, Any]", table))


def _with_own_keys(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replace other names of keys by the names of settings. A setting's own name wins, except over the more exact
    `browser_executable`."""
    found = {_OTHER_KEYS[key]: value for key, value in table.items() if key in _OTHER_KEYS}
    own = {key: value for key, value in table.items() if key in SETTINGS}
    exact = {"browser": table["browser_executable"]} if "browser_executable" in table else {}
    return {**found, **own, **exact}
