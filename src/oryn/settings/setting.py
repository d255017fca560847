"""The description of a setting: its name, type, default and help, the commands that have it, and the callers that may
set it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Literal

from oryn.core.records import Field, Record
from oryn.settings.types import SWITCH, SettingType

Group = Literal["browsing", "serving", "storing", "agent", "research", "everywhere"]
"""The commands that have a setting: those that drive a browser, the daemon, those that store secrets, agents, research,
all."""


class Setting(Record):
    """One setting. `default` is the value itself, not text."""

    name: str
    kind: SettingType
    default: Any
    help: str
    environment: str
    flag: str
    flag_aliases: tuple[str, ...]
    """Other spellings of the flag, which help texts don't list."""
    group: Group
    limits: bool
    """Whether it limits what a session may do: a caller may set it for a session, but not change the host's value."""
    hosts: bool
    """Whether only the host may set it: with its own value, a caller could redirect a secret, or reach folders or
    addresses of the host."""

    @classmethod
    def of(cls, field: Field) -> Setting:
        """Return the setting that a field of `Settings` declares."""
        assert isinstance(field, SettingField)
        name = field.name
        words = name.replace("_", "-")
        return cls(
            name,
            field.kind,
            field.default,
            field.help,
            f"ORYN_{name.upper()}",
            f"--{field.flag or words}",
            (f"--{words}",) if field.flag else (),
            field.group,
            field.limits,
            field.hosts,
        )

    @property
    def is_switch(self) -> bool:
        """Whether the setting is on or off, so that its flag needs no value."""
        return self.kind is SWITCH

    def show(self, value: Any) -> str:
        """Format the value as in `config.toml`, or `-` for None; secrets are masked."""
        value = self.public(value)
        if value is None:
            return "-"
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return f"{value:g}"
        if isinstance(value, tuple):
            between = os.pathsep if isinstance(value[0], Path) else "," if isinstance(value[0], str) else "x"
            return between.join(map(str, value))
        return str(value)

    @property
    def default_text(self) -> str:
        """The default with its unit, for help texts: `30 s`."""
        text = self.show(self.default)
        return f"{text} {self.kind.unit}" if self.kind.unit and self.default is not None else text

    def public(self, value: Any) -> Any:
        """Return the setting's value with its secret masked; the value itself if its type has no secret."""
        return value if self.kind.redact is None else self.kind.redact(value)


class SettingField(Field):
    """A field of `Settings`; parameters as in `define_setting`."""

    __slots__ = ("flag", "group", "help", "hosts", "kind", "limits")

    def __init__(
        self, default: Any, kind: SettingType, help: str, group: Group, *, limits: bool, hosts: bool, flag: str
    ) -> None:
        super().__init__(default=default, keyword=True)
        self.kind = kind
        self.help = help
        self.group = group
        self.limits = limits
        self.hosts = hosts
        self.flag = flag


def define_setting(
    default: Any,
    kind: SettingType,
    help: str,
    *,
    group: Group = "browsing",
    limits: bool = False,
    hosts: bool = False,
    flag: str = "",
) -> Any:
    """Declare a field of `Settings`; the parameters are fields of `Setting`.

    flag: the flag without its dashes, if it isn't derived from the name; the derived one is an alias then."""
    return SettingField(default, kind, help, group, limits=limits, hosts=hosts, flag=flag)


define_serving = partial(define_setting, group="serving")
define_storing = partial(define_setting, group="storing")
define_agent = partial(define_setting, group="agent")
define_research = partial(define_setting, group="research")
define_everywhere = partial(define_setting, group="everywhere")
