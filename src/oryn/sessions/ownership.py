"""`SessionOwner`: a caller that has sessions of its own, and what limits them (docs/access.md#sessions-of-a-token).

A host with several callers says which of them gives the current command (`Sessions.caller`). Such a caller reaches only
the sessions that it has opened, which is saved with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oryn.core.records import Record
from oryn.core.urls import common_rules, parse_domain_rule
from oryn.errors import ConfigurationError

OWN_SETTINGS = frozenset(
    {
        "action_wait",
        "allowed_domains",
        "boundaries",
        "cache",
        "confirm",
        "denied_domains",
        "ephemeral",
        "labels",
        "max_output",
        "max_pages",
        "observe_limit",
        "playwright_engine",
        "presence_wait",
        "read_only",
        "settle_grace",
        "settle_limit",
        "strict",
        "timeout",
        "viewport",
    }
)
"""The settings that such a caller may give for its sessions. Others reach something that other sessions use too, such
as a profile, or a way around its domains, such as a proxy."""
OWN_BACKENDS = frozenset({"headless", "embedded", "playwright"})
"""The browsers that such a caller may use: those that the host starts."""


class SessionOwner(Record):
    """A caller with sessions of its own.

    `sessions`: how many of them may be open at once; 0 means no limit. `domains`: the only hosts that their pages may
    use, in the form of `allowed_domains`; empty means no limit."""

    name: str
    sessions: int = 0
    domains: tuple[str, ...] = ()

    def narrow(self, settings: Mapping[str, Any], allowed: Sequence[str] | None) -> Mapping[str, Any]:
        """Return the settings of a session with the domains of this caller: what `settings`, or else the host
        (`allowed`), allow of them. Raises `ConfigurationError` if nothing is left."""
        if not self.domains:
            return settings
        rules = tuple(map(parse_domain_rule, self.domains))
        for other in (allowed, _texts(settings.get("allowed_domains"))):
            if other is not None:
                rules = common_rules(rules, tuple(map(_rule, other)))
        if not rules:
            raise ConfigurationError(
                f"allowed_domains has no domain that {self.name} may use", f"It may use {', '.join(self.domains)}."
            )
        return {**settings, "allowed_domains": sorted(map(str, rules))}

    def check_settings(self, settings: Mapping[str, Any]) -> None:
        """Raise `ConfigurationError` unless this caller may give all of these settings."""
        for name, value in settings.items():
            if name not in OWN_SETTINGS and not (name == "backend" and value in OWN_BACKENDS):
                raise ConfigurationError(
                    f"{name} can't be set by {self.name}, which has sessions of its own",
                    f"It may set backend ({', '.join(sorted(OWN_BACKENDS))}), {', '.join(sorted(OWN_SETTINGS))}.",
                )


def _texts(value: Any) -> list[str] | None:
    """The rules of a value of `allowed_domains`: a text with `,` between them, or a list."""
    if value is None:
        return None
    return [str(each) for each in (value.split(",") if isinstance(value, str) else value)]


def _rule(text: str) -> Any:
    try:
        return parse_domain_rule(text)
    except ValueError:
        raise ConfigurationError(f"allowed_domains can't have {text[:80]!r}", "Name hosts.") from None
