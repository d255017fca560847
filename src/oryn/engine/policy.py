"""What a session may do, as its user's settings say: where its requests go, whether it only looks, and which commands
wait for a person's yes. Pure.

Every command passes `Session.permit`, a line's as well as a step's of an intent, before anything of it happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from oryn.domains import Domains, Refusal
from oryn.errors import ConfigurationError, DomainNotAllowed, ReadOnly
from oryn.language import (
    COMMANDS,
    AcceptCookies,
    Check,
    Click,
    Command,
    CommandSpec,
    Dismiss,
    Eval,
    FillForm,
    Login,
    Logout,
    Press,
    ScriptAdd,
    Search,
    Select,
    Submit,
    Type,
    Uncheck,
    WaitUntil,
)
from oryn.language.suggestions import did_you_mean
from oryn.records import Record

EVERYTHING = "all"
"""In the place of a command's name: each that may change something."""

MOST_NOTES = 5
"""Hosts that an answer tells of."""

_MADE_OF: Mapping[type[Command], tuple[type[Command], ...]] = {
    AcceptCookies: (Click,),
    Dismiss: (Click, Press),
    FillForm: (Type, Select, Check, Uncheck),
    Login: (Type, Click, Press, Submit),
    Logout: (Click,),
    ScriptAdd: (Eval,),
    Search: (Type, Click, Press, Submit),
    WaitUntil: (Eval,),
}
"""Commands that do what others do, which would else be a way around these."""


class Policy(Record):
    """`confirm` has the commands that wait for a person's yes; with `confirm_changes` so does each that may change
    something."""

    domains: Domains = Domains()
    read_only: bool = False
    confirm: frozenset[type[Command]] = frozenset()
    confirm_changes: bool = False

    @classmethod
    def of(
        cls, *, domains: Domains | None = None, read_only: bool = False, confirm: Iterable[str] = ()
    ) -> Policy | None:
        """Of what the settings say; None where they limit nothing. Raises `ConfigurationError`."""
        names = set(confirm)
        commands = frozenset(each for name in names - {EVERYTHING} for each in _commands_of(name))
        policy = cls(domains or Domains(), read_only, commands, EVERYTHING in names)
        return None if policy == cls() else policy

    def check(self, command: Command) -> None:
        """Raises `ReadOnly`."""
        if self.read_only and not command.safe:
            raise ReadOnly(f"{command.spec.name} may change something")

    def check_url(self, url: str) -> None:
        """Before a navigation is begun, and also for what is no request (`chrome:`). Raises `DomainNotAllowed`."""
        if refusal := self.domains.refusal(url):
            raise DomainNotAllowed(str(refusal))

    def waits(self, command: Command) -> bool:
        """Whether somebody has to say yes first."""
        return isinstance(command, tuple(self.confirm)) or (self.confirm_changes and not command.safe)


def _commands_of(name: str) -> set[type[Command]]:
    """The commands of this name, and those that do what they do. `cookies` has all its sub-commands."""
    found = {command for command in COMMANDS if name in _names(command.spec)}
    if not found:
        known = {EVERYTHING}.union(*(_names(command.spec) for command in COMMANDS))
        raise ConfigurationError(
            f"confirm can't be {name!r}: there is no such command",
            did_you_mean(name, known) or "'oryn help' lists the commands.",
        )
    return found | {each for each, parts in _MADE_OF.items() if found.intersection(parts)}


def _names(spec: CommandSpec) -> set[str]:
    """What a command is called, as a line and at doors."""
    return {spec.name, spec.path[0], spec.door, spec.door.split()[0], *spec.aliases}


def refused_notes(refused: Mapping[Refusal, int]) -> list[str]:
    """`blocked 3 requests: ads.example is in denied_domains`."""
    told = list(refused.items())
    notes = [f"blocked {count} {'request' if count == 1 else 'requests'}: {why}" for why, count in told[:MOST_NOTES]]
    if more := sum(count for _, count in told[MOST_NOTES:]):
        notes.append(f"blocked {more} more to {len(told) - MOST_NOTES} other hosts")
    return notes
