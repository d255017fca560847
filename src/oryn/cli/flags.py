"""Settings as options of a command: each option is made from the setting's declaration."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from oryn import paths
from oryn.logs import log_to_standard_error
from oryn.settings import (
    AGENT,
    BROWSING,
    EVERYWHERE,
    RESEARCH,
    SERVING,
    SETTINGS,
    STORING,
    Configuration,
    Setting,
    load,
)

__all__ = ["AGENT", "BROWSING", "RESEARCH", "SERVING", "STORING", "configuration", "configured", "option"]

Decorated = TypeVar("Decorated", Callable[..., None], click.Command)


def configured(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each of these settings; it gets the outcome as its argument `configuration`."""
    chosen = [SETTINGS[name] for name in (*names, *EVERYWHERE)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_configuration(**given: Any) -> None:
            flags = {setting.name: given.pop(setting.name) for setting in chosen}
            command(configuration=configuration(click.get_current_context(), flags), **given)

        decorated: Callable[..., None] = with_configuration
        for setting in reversed(chosen):
            decorated = option(setting)(decorated)
        return decorated

    return decorate


def configuration(context: click.Context, flags: dict[str, Any]) -> Configuration:
    """The settings with this command's flags and those given before its name, and logging as they say."""
    before = context.find_root().obj or {}
    given = {**before, **{name: value for name, value in flags.items() if value is not None}}
    found = load(given, paths.find())
    log_to_standard_error(found.settings.log_level)
    return found


def option(setting: Setting) -> Callable[[Decorated], Decorated]:
    """The option of a setting."""
    default = "" if setting.default in (None, False) else f" Default: {setting.show(setting.default)}."
    text = f"{setting.help}{default}"
    if setting.is_switch:
        return click.option(f"{setting.flag}/--no-{setting.flag.removeprefix('--')}", default=None, help=text)
    between = setting.kind.between
    # Values stay text here: `settings.load` reads them, whatever layer they come from, and says the same of a bad one.
    return click.option(
        setting.flag,
        metavar=setting.kind.metavar,
        help=text,
        multiple=bool(between),
        callback=(lambda _, __, given: between.join(given) if given else None) if between else None,
        shell_complete=lambda _, __, begun: [each for each in setting.kind.choices if each.startswith(begun)],
    )
