"""The words of a command line as a line of the language: the shell has taken the quotes away that the language wants.

click "Sign in"  →  ["click", "Sign in"]  →  click "Sign in"
"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.errors import MissingArgument
from oryn.language.line import Line, parse
from oryn.language.strings import quote
from oryn.language.vocabulary import doors

_OWN_FORM = tuple("\"'{[@(")


def line_of_words(words: Sequence[str]) -> Line:
    """The line that the words of a command line mean. Raises `LanguageError`."""
    if not words:
        raise MissingArgument("the command is missing", "help lists the commands")
    return parse(" ".join(map(_word, words)), doors())


def _word(word: str) -> str:
    """A word as it stands in a line: in quotes, unless it is one word, or has the language's own marks in it."""
    if word and not any(each.isspace() for each in word):
        return word
    return word if '"' in word or word.startswith(_OWN_FORM) or "(" in word else quote(word)
