"""The limits that the user's settings set for a session: its domains, whether it is read-only, and the commands that
need confirmation. Pure.

Every command passes `Session.permit` before any of it runs, whether it is a line or a step of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from oryn.core.records import Record
from oryn.core.suggestions import did_you_mean
from oryn.core.urls import DomainPolicy, DomainRefusal
from oryn.errors import ConfigurationError, DomainNotAllowed, ReadOnly
from oryn.language import COMMANDS, Command, CommandSpec
from oryn.language.effects import Effect

EVERYTHING = "all"
"""The name for all commands that may change something."""

MAX_REFUSED_HOSTS = 5
"""Maximum number of hosts in an answer's notes."""


class Policy(Record):
    """The limits of a session.

    confirm: commands that wait for a person's confirmation, and so does each command that has one of the
    `confirm_effects`. With `confirm_changes`, so does each command that may change something."""

    domains: DomainPolicy = DomainPolicy()
    read_only: bool = False
    confirm: frozenset[type[Command]] = frozenset()
    confirm_effects: frozenset[Effect] = frozenset()
    confirm_changes: bool = False

    @classmethod
    def of(
        cls, *, domains: DomainPolicy | None = None, read_only: bool = False, confirm: Iterable[str] = ()
    ) -> Policy | None:
        """Return the policy of these settings; None if they limit nothing. Raises `ConfigurationError` if `confirm` has
        an unknown name."""
        names = set(confirm)
        commands = frozenset(each for name in names - {EVERYTHING} for each in _commands_of(name))
        # What else a command does, it does for the sake of its first effect.
        effects = frozenset(each for command in commands for each in command.spec.effects[:1])
        policy = cls(domains or DomainPolicy(), read_only, commands, effects, EVERYTHING in names)
        return None if policy == cls() else policy

    def check(self, command: Command) -> None:
        """Raise `ReadOnly` if the session is read-only and the command may change something."""
        if self.read_only and not command.safe:
            raise ReadOnly(f"{command.spec.name} may change something")

    def check_url(self, url: str) -> None:
        """Raise `DomainNotAllowed` if the URL is denied. Called before each navigation, also for URLs without a request
        (`chrome:`)."""
        if refusal := self.domains.refusal(url):
            raise DomainNotAllowed(str(refusal))

    def requires_confirmation(self, command: Command) -> bool:
        """Return whether a person must confirm the command first."""
        return (
            isinstance(command, tuple(self.confirm))
            or not self.confirm_effects.isdisjoint(command.effects)
            or (self.confirm_changes and not command.safe)
        )


def _commands_of(name: str) -> set[type[Command]]:
    """Return the commands of this name. `cookies` means all its sub-commands."""
    found = {command for command in COMMANDS if name in _names(command.spec)}
    if not found:
        names = {EVERYTHING}.union(*(_names(command.spec) for command in COMMANDS))
        raise ConfigurationError(
            f"confirm can't be {name!r}: there is no such command",
            did_you_mean(name, names) or "'oryn help' lists the commands.",
        )
    return found


def _names(spec: CommandSpec) -> set[str]:
    """Return all names of a command, in lines and in APIs."""
    return {spec.name, spec.path[0], spec.api_name, spec.api_name.split()[0], *spec.aliases}


def refused_notes(refused: Mapping[DomainRefusal, int]) -> list[str]:
    """Return notes about blocked requests: `blocked 3 requests: ads.example is in denied_domains`."""
    refusals = list(refused.items())
    notes = [
        f"blocked {count} {'request' if count == 1 else 'requests'}: {why}"
        for why, count in refusals[:MAX_REFUSED_HOSTS]
    ]
    if more := sum(count for _, count in refusals[MAX_REFUSED_HOSTS:]):
        notes.append(f"blocked {more} more to {len(refusals) - MAX_REFUSED_HOSTS} other hosts")
    return notes
