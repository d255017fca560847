"""Names of authors, out of the lines that pages have them in: `By Ann Bee, 3 May 2024 · 5 min read`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MAX_NAME_CHARACTERS = 80

_MONTH = (
    r"(?:jan(?:uary|uar|vier|eiro)?|feb(?:ruary|ruar)?|februar|f[ée]v(?:rier)?|mar(?:ch|s|zo)?|märz|apr(?:il)?|avril|"
    r"may|mai|jun[ei]?|juin|jul[iy]?|juillet|aug(?:ust)?|ao[uû]t|sep(?:t(?:ember|embre)?)?|o[ck]t(?:ober|obre)?|"
    r"nov(?:ember|embre)?|de[cz](?:ember)?|d[ée]cembre)"
)
_DATE = re.compile(
    rf"\b(?:(?:on|am|le|el|il)\s+)?(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,?\s+)?(?:"
    rf"{_MONTH}\.?\s+\d{{1,4}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:de\s+)?{_MONTH}\b|\d{{4}}-\d\d?-\d\d?"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:19|20)\d\d\b|\d{1,2}:\d\d\b|\d+\s*(?:min(?:ute)?s?|hours?|days?|weeks?|months?|"
    r"years?)\b|yesterday\b|today\b|(?:last\s+)?(?:updated|modified|published|posted)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:(?:(?:article|blog|blogged|contributed|edited|posted|published|reported|review(?:ed)?|story|submitted|text|"
    r"words|written)\s+)?by|von|par|por|door|av|autor(?:in)?|authors?|writer|written\s+by)\b\s*:?\s+|^\W*authors?\s*:\s*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"(?<!\s)\s++[-–—|·•/]++(?:\s++|$)|[|·•\n]|(?<!\s)\s++(?:in|for|at|from|für|bei)\s++(?=[^\W\d_]*[^\W\d_a-z])"
)
_NOTE = re.compile(r"\([^()\d]*+\d[^()]*+\)")
_ADDRESS = re.compile(r"(?:\(\s*+)?(?<![\w.+-])[\w.+-]++@[\w.-]++(?:\s*+\))?|\s@\w++")
_LETTER = re.compile(r"[^\W\d_]")
_ROLES = frozenset(
    "admin author contributor correspondent editor reporter staff writer journalist columnist producer intern guest "
    "fellow professor director".split()
)
"""Words that a name does not consist of, and a comma parts from it."""
_MONTH_ONLY = re.compile(rf"{_MONTH}\.?", re.IGNORECASE)


def author_of(text: str) -> str:
    """The name or names in a byline, as it writes them, without what introduces them, and without the date, section or
    role after them; empty if it has none."""
    text = _NOTE.sub(" ", _ADDRESS.sub(" ", " ".join(text.split())))
    while (opening := _OPENING.match(text)) is not None:
        text = text[opening.end() :]
    for part in _SEPARATOR.split(text):
        date = _DATE.search(part)
        if names := ", ".join(_names(part[: date.start()] if date else part)):
            return names
    return ""


def _names(text: str) -> Iterator[str]:
    for number, part in enumerate(text.split(",")):
        name = part.strip(" .;:-–—·|/()")
        if is_name(name):
            yield name
        elif number:
            return  # what follows a name is no name any more


def is_name(text: str) -> bool:
    """Whether a text may be a name, and not a month, a role or an address."""
    words = {word.strip(".").casefold() for word in text.split()}
    return (
        0 < len(text) <= MAX_NAME_CHARACTERS
        and "://" not in text
        and _LETTER.search(text) is not None
        and _MONTH_ONLY.fullmatch(text) is None
        and not (words & _ROLES and (len(words) == 1 or text[:1].islower() or words <= _ROLES))
    )


def as_written(name: str, texts: Iterable[str]) -> str:
    """The name with the capitals that it has in the first of some texts that has it; a text that has it as it is counts
    first."""
    form = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, name.split())) + r"(?!\w)", re.IGNORECASE)
    first = ""
    for text in texts:
        for found in form.finditer(text):
            written = " ".join(found[0].split())
            if written == name:
                return name
            first = first or written
    return first or name
