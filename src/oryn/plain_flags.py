"""Settings read from the words of a command line without a framework for that: importing one takes longer than all else
until a browser is begun, or a verb is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from oryn.errors import ConfigurationError
from oryn.settings import SETTINGS, Setting


def flags_of(names: Iterable[str]) -> dict[str, Setting]:
    """Settings by their flags."""
    return {SETTINGS[name].flag: SETTINGS[name] for name in names}


def take(words: list[str], flags: Mapping[str, Setting]) -> tuple[Setting, str | bool] | None:
    """Take the flag that `words` begin with, and its value: `--timeout 5s`, `--timeout=5s`, `--headful`,
    `--no-headful`. None (and nothing is taken) where they begin with no such flag.

    Raises `ConfigurationError` for one with too much or too little."""
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
            raise ConfigurationError(f"{flag} needs a value", f"{setting.name} may be {setting.kind.may_be}.")
        value = words.pop(0)
    return setting, value


def put(given: dict[str, Any], setting: Setting, value: str | bool) -> None:
    """Add a flag's value to those given before: a list grows, of anything else the last value holds."""
    before = given.get(setting.name)
    together = setting.kind.between and isinstance(before, str)
    given[setting.name] = f"{before}{setting.kind.between}{value}" if together else value


def all_of(words: Iterable[str], flags: Mapping[str, Setting]) -> dict[str, Any] | None:
    """What all these words set, where they are flags and nothing else."""
    rest, given = list(words), dict[str, Any]()
    while rest:
        try:
            taken = take(rest, flags)
        except ConfigurationError:
            return None
        if taken is None:
            return None
        put(given, *taken)
    return given
