"""The text of a line that means one word of a command line, at the place where it stands."""

from __future__ import annotations

import re
from typing import Any

from oryn.language.kinds import TARGET, Combination, Json, Key, Kind, Name, Selection, Several, String
from oryn.language.strings import quote

_BARE = re.compile(r"[^\s\"'#-][^\s\"'#]*")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


def text_of(kind: Kind[Any], word: str) -> str:
    """The text of a line that means a word, where a value of this kind belongs."""
    if isinstance(kind, Selection) and (word.isdecimal() or _QUOTED.fullmatch(word)):
        return word
    if isinstance(kind, String | Several | Json | Key | Combination):
        return quote(word)
    if isinstance(kind, Name):
        return kind.write(word)
    if "\n" not in word and kind.is_whole(word):
        return word
    return quote(word) if kind is TARGET else bare_or_quoted(word)


def bare_or_quoted(word: str) -> str:
    """A word as it may stand anywhere in a line: bare where it is plain, else in quotes."""
    return word if _BARE.fullmatch(word) else quote(word)
