"""Parses settings from the words of a command line without a framework. Importing a framework would take longer than
everything else before a browser is started or a command is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from oryn.errors import ConfigurationError
from oryn.settings import SETTINGS, Setting


def flags_of(names: Iterable[str]) -> dict[str, Setting]:
    """Return settings by their flags and the aliases of those."""
    return {flag: SETTINGS[name] for name in names for flag in (SETTINGS[name].flag, *SETTINGS[name].flag_aliases)}


def current_flag(name: str) -> str:
    """Return the flag that an alias means, both without their dashes (`colour` → `color`); others are unchanged."""
    return next((each.flag[2:] for each in SETTINGS.values() if f"--{name}" in each.flag_aliases), name)


def take_flag(words: list[str], flags: Mapping[str, Setting]) -> tuple[Setting, str | bool] | None:
    """Take the flag at the beginning of `words`, and its value: `--timeout 5s`, `--timeout=5s`, `--headful`,
    `--no-headful`. Return None, and take nothing, if they don't begin with a flag.

    Raises `ConfigurationError` if a value is missing or superfluous."""
    flag, equals, value = words[0].partition("=")
    setting, switch = flags.get(flag), True
    if setting is None and flag.startswith("--no-"):
        setting, switch = flags.get(flag.replace("--no-", "--", 1)), False
        if setting is not None and not setting.is_switch:
            setting = None
    if setting is None:
        return None
    del words[0]
    if setting.is_switch:
        if equals:
            raise ConfigurationError(f"{flag} takes no value", f"Say {setting.flag} or --no-{setting.flag[2:]}.")
        return setting, switch
    if not equals:
        if not words:
            raise ConfigurationError(f"{flag} needs a value", f"{setting.name} must be {setting.kind.description}.")
        value = words.pop(0)
    return setting, value


def add_flag_value(values: dict[str, Any], setting: Setting, value: str | bool) -> None:
    """Add a flag's value to `values`. Values of a list are appended; otherwise the last value counts."""
    previous = values.get(setting.name)
    is_list = setting.kind.separator and isinstance(previous, str)
    values[setting.name] = f"{previous}{setting.kind.separator}{value}" if is_list else value


def parse_flags(words: Iterable[str], flags: Mapping[str, Setting]) -> dict[str, Any] | None:
    """Return the values that these words set, by the settings' names; None unless all words are flags and
    their values."""
    rest, values = list(words), dict[str, Any]()
    while rest:
        try:
            taken = take_flag(rest, flags)
        except ConfigurationError:
            return None
        if taken is None:
            return None
        add_flag_value(values, *taken)
    return values
