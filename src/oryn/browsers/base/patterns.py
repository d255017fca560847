"""Which URLs are meant: patterns, as `wait url` and `intercept` have them, and domains, as `headers` does. Pure."""

from __future__ import annotations

import re

from oryn.errors import InvalidValue

_MISPLACED = frozenset("/?#@ \t\"'\\")


def url_pattern(pattern: str) -> re.Pattern[str]:
    """`*` stands for anything and the whole URL must fit; without one, the URL contains the pattern. Use `search`."""
    if "*" not in pattern:
        return re.compile(re.escape(pattern))
    return re.compile(r"\A" + ".*".join(map(re.escape, pattern.split("*"))) + r"\Z", re.DOTALL)


def clean_domain(text: str) -> str:
    """A domain as it is kept: `example.com`, `localhost:8000`. Raises `InvalidValue`."""
    domain = text.lower().removeprefix("*.").strip(".")
    if not domain or _MISPLACED & set(domain) or "*" in domain:
        raise InvalidValue(f"not a domain: {text}", "Give a host such as example.com or localhost:8000.")
    return domain
