"""Drops surplus attributes of elements before a parser sees them. Pure, in linear time."""

from __future__ import annotations

import re

MAX_ATTRIBUTES = 256
"""Attributes of an element that are read: libxml2 takes time with the square of their number."""

# As HTML has them, quotes around `<` and `>` included. Each part takes all that it can and gives nothing back, and what
# is matched is never looked at again: the time is linear, whatever the text.
# https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state
_ATTRIBUTE = re.compile(
    r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+"""
)
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?:script|style)(?=[\s/>])(?:" + _ATTRIBUTE.pattern + r")*+[\s/]*+(?:>.*?(?:</(?:script|style)|\Z)|\Z)"
    r"|<[a-z][^\s/>]*+(?:" + _ATTRIBUTE.pattern + r")*+",
    re.IGNORECASE | re.DOTALL,
)
_MIN_CHARACTERS = 2 * MAX_ATTRIBUTES
"""Characters of a tag that has more."""
_NAME = re.compile(r"<[^\s/>]*+")


def limit_attributes(html: str) -> str:
    """The page with at most `MAX_ATTRIBUTES` attributes of each element, the first ones."""
    return _TAG.sub(_limit_tag, html)


def _limit_tag(tag: re.Match[str]) -> str:
    """A start tag without its excess attributes."""
    text = tag[0]
    if len(text) < _MIN_CHARACTERS or text.startswith("<!--"):
        return text
    end = _NAME.match(text)
    assert end is not None
    position = end.end()
    for _ in range(MAX_ATTRIBUTES):
        found = _ATTRIBUTE.match(text, position)
        if found is None:
            return text
        position = found.end()
    rest = position
    while (found := _ATTRIBUTE.match(text, rest)) is not None:
        rest = found.end()
    return text[:position] + text[rest:]
