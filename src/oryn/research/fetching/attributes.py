"""Elements with more attributes than anybody has, made lighter before a parser sees them. Pure, in linear time."""

from __future__ import annotations

import re

MOST_ATTRIBUTES = 256
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
_LEAST_LADEN = 2 * MOST_ATTRIBUTES
"""Characters of a tag that has more."""
_NAME = re.compile(r"<[^\s/>]*+")


def unladen(html: str) -> str:
    """A page whose elements have no more than `MOST_ATTRIBUTES`, the first ones."""
    return _TAG.sub(_lighter, html)


def _lighter(tag: re.Match[str]) -> str:
    """A start tag without the attributes that are too many."""
    text = tag[0]
    if len(text) < _LEAST_LADEN or text.startswith("<!--"):
        return text
    end = _NAME.match(text)
    assert end is not None
    position = end.end()
    for _ in range(MOST_ATTRIBUTES):
        found = _ATTRIBUTE.match(text, position)
        if found is None:
            return text
        position = found.end()
    rest = position
    while (found := _ATTRIBUTE.match(text, rest)) is not None:
        rest = found.end()
    return text[:position] + text[rest:]
