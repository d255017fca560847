"""Patterns of URLs, as `wait url` and `intercept` have them. Pure."""

from __future__ import annotations

import re


def url_pattern(pattern: str) -> re.Pattern[str]:
    """`*` stands for anything and the whole URL must fit; without one, the URL contains the pattern. Use `search`."""
    if "*" not in pattern:
        return re.compile(re.escape(pattern))
    return re.compile(r"\A" + ".*".join(map(re.escape, pattern.split("*"))) + r"\Z", re.DOTALL)
