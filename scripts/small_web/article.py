"""What the sites publish: one value for all of them."""

from __future__ import annotations

from oryn.core.records import Record
from scripts.small_web.seeded_random import number, pick


class Article(Record):
    """`path` begins with a slash; `date` is a day. `canonical` is set on a copy of another site's article, and
    `pdf` on what is offered as a file."""

    site: str
    path: str
    title: str
    paragraphs: tuple[str, ...]
    author: str
    date: str
    about: str = ""
    canonical: Article | None = None
    pdf: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)


def slug(name: str) -> str:
    """A name as a part of a path."""
    return "-".join("".join(letter for letter in name.lower() if letter.isalnum() or letter == " ").split())


def day(first: int, last: int, *key: object) -> str:
    """A day of one of these years."""
    return f"{number(first, last, 'year', *key)}-{number(1, 12, 'month', *key):02}-{number(1, 28, 'day', *key):02}"


def sentence(*choices: str, key: object) -> str:
    return pick(choices, choices[0][:20], key)
