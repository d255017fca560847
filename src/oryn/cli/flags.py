"""Settings as options of a command: each option is made from the setting's declaration."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Annotated, Any

import typer

from oryn import paths
from oryn.settings import SETTINGS, Configuration, Setting, load

EVERYWHERE = ("log_level",)
BROWSING = (
    "session",
    "headful",
    "profile",
    "browser",
    "viewport",
    "timeout",
    "strict",
    "observe_limit",
    "settle_limit",
    "output",
    "colour",
)
"""The settings of a command that drives a browser."""


def configured(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each of these settings; it gets the outcome as its argument `configuration`."""
    chosen = [SETTINGS[name] for name in (*names, *EVERYWHERE)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)

        def configured_command(context: typer.Context, **given: Any) -> None:
            flags = {setting.name: given.pop(setting.name) for setting in chosen}
            command(configuration=configuration(context, flags), **given)

        parameters = [entry for entry in own.parameters.values() if entry.name != "configuration"]
        context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        configured_command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [context, *parameters, *map(_parameter, chosen)]
        )
        configured_command.__annotations__ = {}
        configured_command.__doc__ = command.__doc__
        configured_command.__name__ = command.__name__
        return configured_command

    return decorate


def configuration(context: typer.Context, flags: dict[str, Any]) -> Configuration:
    """The settings with this command's flags and those given before its name, and logging as they say."""
    before = context.find_root().obj or {}
    given = {**before, **{name: value for name, value in flags.items() if value is not None}}
    found = load(given, paths.find())
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("oryn").setLevel(found.settings.log_level.upper())
    return found


def _parameter(setting: Setting) -> inspect.Parameter:
    # Values stay text here: `settings.load` reads them, whatever layer they come from, and says the same of a bad one.
    if setting.is_switch:
        kind: Any = bool
        option = typer.Option(f"{setting.flag}/--no-{setting.flag.removeprefix('--')}", help=_help(setting))
    else:
        kind = str
        option = typer.Option(
            setting.flag,
            metavar=setting.kind.metavar,
            help=_help(setting),
            autocompletion=lambda: list(setting.kind.choices),
        )
    return inspect.Parameter(
        setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option]
    )


def _help(setting: Setting) -> str:
    default = "" if setting.default in (None, False) else f" Default: {setting.show(setting.default)}."
    return f"{setting.help}{default}"
