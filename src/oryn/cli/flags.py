"""Settings as options of a command, created from the declarations of the settings."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

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
from oryn.system import paths
from oryn.system.logs import log_to_standard_error

__all__ = [
    "AGENT",
    "BROWSING",
    "RESEARCH",
    "SERVING",
    "STORING",
    "GroupedCommand",
    "configuration",
    "configured",
    "option",
]

Decorated = TypeVar("Decorated", Callable[..., None], click.Command)

_HEADINGS = {
    "agent": "Agent settings",
    "serving": "Daemon settings",
    "browsing": "Browser and session settings",
    "research": "Research settings",
    "storing": "Vault settings",
    "everywhere": "Settings of every command",
}


class SettingOption(click.Option):
    """The option of a setting. `heading` is its section in a `GroupedCommand`'s help."""

    def __init__(self, *names: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading


class GroupedCommand(click.Command):
    """A command whose help names its settings by group, below its own options; `settings_text` explains them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        settings: dict[str, list[str]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if isinstance(parameter, SettingOption):
                settings.setdefault(parameter.heading, []).append(parameter.opts[-1])
            elif record is not None:
                own.append(record)
        with formatter.section("Options"):
            formatter.write_dl(own)
        for heading, flags in settings.items():
            with formatter.section(heading):
                lines = textwrap.wrap(" ".join(flags), formatter.width - 2, break_on_hyphens=False)
                formatter.write("".join(f"  {line}\n" for line in lines))
        formatter.write_paragraph()
        formatter.write_text("'oryn help settings' explains the settings.")


def settings_text() -> str:
    """The text of `oryn help settings`: every setting with its flag, by group."""
    import shutil

    formatter = click.HelpFormatter(max_width=min(100, shutil.get_terminal_size().columns))
    formatter.write_text(
        "Settings. Give them as options before a verb, or after a command's name. 'oryn config' shows their values."
    )
    for group, heading in _HEADINGS.items():
        with formatter.section(heading):
            formatter.write_dl([_help_row(each) for each in SETTINGS.values() if each.group == group])
    return formatter.getvalue().rstrip("\n")


def _help_row(setting: Setting) -> tuple[str, str]:
    value = "" if setting.is_switch else f" {setting.kind.metavar}"
    return f"{setting.flag}{value}", f"{setting.help}{_default_text(setting)}"


def _default_text(setting: Setting) -> str:
    return "" if setting.default is None or setting.default is False else f" Default: {setting.default_text}."


def configured(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option for each of these settings to a command, which gets the resulting `configuration` as an
    argument."""
    chosen = [SETTINGS[name] for name in (*names, *EVERYWHERE)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_configuration(**parameters: Any) -> None:
            flags = {setting.name: parameters.pop(setting.name) for setting in chosen}
            command(configuration=configuration(click.get_current_context(), flags), **parameters)

        decorated: Callable[..., None] = with_configuration
        for setting in reversed(chosen):
            decorated = option(setting)(decorated)
        return decorated

    return decorate


def configuration(context: click.Context, flags: dict[str, Any]) -> Configuration:
    """Load the settings with this command's flags and those given before its name, and set up logging."""
    before = context.find_root().obj or {}
    options = {**before, **{name: value for name, value in flags.items() if value is not None}}
    found = load(options, paths.find())
    log_to_standard_error(found.settings.log_level, found.settings.log_format)
    return found


def option(setting: Setting) -> Callable[[Decorated], Decorated]:
    """The click option for a setting."""
    text, heading = f"{setting.help}{_default_text(setting)}", _HEADINGS[setting.group]
    if setting.is_switch:
        names = f"{setting.flag}/--no-{setting.flag.removeprefix('--')}"
        return click.option(names, cls=SettingOption, heading=heading, default=None, help=text)
    between = setting.kind.separator
    # Values stay text here: `settings.load` parses values of all sources, with the same errors.
    return click.option(
        setting.name,
        setting.flag,
        cls=SettingOption,
        heading=heading,
        metavar=setting.kind.metavar,
        help=text,
        multiple=bool(between),
        callback=(lambda _, __, values: between.join(values) if values else None) if between else None,
        shell_complete=lambda _, __, prefix: [each for each in setting.kind.choices if each.startswith(prefix)],
    )
