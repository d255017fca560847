"""URL patterns of `wait url` and `intercept`, and domains of `headers`. Pure."""

from __future__ import annotations

import re

from oryn.errors import InvalidValue

_FORBIDDEN_CHARACTERS = frozenset("/?#@ \t\"'\\")


def url_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern to `search` URLs for: with `*`, which matches any text, the whole URL must match; without it, the URL
    must contain the pattern."""
    if "*" not in pattern:
        return re.compile(re.escape(pattern))
    return re.compile(r"\A" + ".*".join(map(re.escape, pattern.split("*"))) + r"\Z", re.DOTALL)


def clean_domain(text: str) -> str:
    """The canonical form of a domain: `example.com`, `localhost:8000`. Raises `InvalidValue`."""
    domain = text.lower().removeprefix("*.").strip(".")
    if not domain or _FORBIDDEN_CHARACTERS & set(domain) or "*" in domain:
        raise InvalidValue(f"not a domain: {text}", "Give a host such as example.com or localhost:8000.")
    return domain
