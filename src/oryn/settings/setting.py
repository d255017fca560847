"""What a setting is: its name, kind, default and help, which commands have it, and who may say it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Literal

from oryn.kinds import SWITCH, Kind
from oryn.records import Field, Record

Group = Literal["browsing", "serving", "storing", "agent", "research", "everywhere"]
"""Which commands have a setting: those that drive a browser, the daemon, what stores secrets, agents, research, all."""


class Setting(Record):
    """One setting. `default` is the value itself, not text."""

    name: str
    kind: Kind
    default: Any
    help: str
    environment: str
    flag: str
    group: Group
    limits: bool
    """Whether it limits what a session may do: who asks for a session may set it, but not change what its host has."""
    hosts: bool
    """Whether only the host has it: with one of its own, a caller could have a secret sent elsewhere, or reach places
    that are the host's."""

    @classmethod
    def of(cls, field: Field) -> Setting:
        """As a field of `Settings` declares it."""
        assert isinstance(field, Declared)
        name = field.name
        return cls(
            name,
            field.kind,
            field.default,
            field.help,
            f"ORYN_{name.upper()}",
            f"--{name.replace('_', '-')}",
            field.group,
            field.limits,
            field.hosts,
        )

    @property
    def is_switch(self) -> bool:
        return self.kind is SWITCH

    def show(self, value: Any) -> str:
        """The value as `config.toml` has it, or `-` for none; a secret in it as dots."""
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

    def public(self, value: Any) -> Any:
        """The value with dots in the place of a secret."""
        return value if self.kind.shown is None else self.kind.shown(value)


class Declared(Field):
    """A field of `Settings`."""

    __slots__ = ("group", "help", "hosts", "kind", "limits")

    def __init__(self, default: Any, kind: Kind, help: str, group: Group, *, limits: bool, hosts: bool) -> None:
        super().__init__(default=default, keyword=True)
        self.kind = kind
        self.help = help
        self.group = group
        self.limits = limits
        self.hosts = hosts


def declared(
    default: Any, kind: Kind, help: str, *, of: Group = "browsing", limits: bool = False, hosts: bool = False
) -> Any:
    """A field of `Settings`; the names are those of `Setting`."""
    return Declared(default, kind, help, of, limits=limits, hosts=hosts)


serving = partial(declared, of="serving")
storing = partial(declared, of="storing")
agent = partial(declared, of="agent")
research = partial(declared, of="research")
everywhere = partial(declared, of="everywhere")
