"""Finding the beginning of a secret: what a page logs, sends or keeps of it while it is typed, or cuts off. Pure.

A beginning counts from `LEAST` characters on, in the value's own case, between what are no letters or digits, in any
mixture of escapes. From `SURE` on it counts wherever it stands. Fewer, or `pass` in `passenger`, say nothing.
What pages *show* is full of words, and a value may begin with one (`summer-2026`): there a beginning that is but a word
stays (`may_be_word`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator

from oryn.language import MASK

LEAST = 4
"""Characters of a beginning that are masked."""
SURE = 12
"""Characters that nobody writes by chance."""
_LETTER = re.compile(r"[^\W_]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]")
_ESCAPE = re.compile(r"%[0-9a-fu]|\\|&[#a-z]", re.IGNORECASE)
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrtbfv])|(?<=%[0-9a-fA-F]{2})|(?<=\\u[0-9a-fA-F]{4}))"


def may_be_word(text: str) -> bool:
    """Whether a page may show it by chance: letters alone, as a sentence has them, and not many."""
    return len(text) < SURE and text.isalpha() and (text.islower() or text[1:].islower() or text.isupper())


class Beginnings:
    """Those of one value. `character` gives the pattern of one character of it, itself and its escapes."""

    def __init__(self, value: str, character: Callable[[str], str]) -> None:
        data = value[:LEAST].encode("utf-8", "surrogatepass")
        self._encoded = _EncodedBeginnings(value, data)
        value = re.sub(r"\s+", " ", value)  # pages show white space as they like
        self._value = value
        self._character = character
        self._made: dict[str, re.Pattern[str]] = {}
        self._plain = value[:LEAST]
        self._start = re.compile(_BEFORE + "".join(map(character, value[:LEAST])))

    def masked(self, text: str, *, shown: bool) -> str:
        if self._plain in text or _ESCAPE.search(text):
            text = self._without(text, shown)
        return self._encoded.masked(text)

    def _without(self, text: str, shown: bool) -> str:
        parts, done = [], 0
        for found in self._start.finditer(text):
            if found.start() < done:
                continue
            end, count = self._end(text, found.end())
            if count < SURE and end < len(text) and _LETTER.match(text, end):
                continue
            if shown and text[found.start() : end] == self._value[:count] and may_be_word(self._value[:count]):
                continue
            parts += [text[done : found.start()], MASK]
            done = end
        return "".join([*parts, text[done:]]) if done else text

    def _end(self, text: str, at: int) -> tuple[int, int]:
        """Where the beginning that has begun ends, and how many of the value's characters it has."""
        count = LEAST
        for character in self._value[LEAST:]:
            if (part := self._made.get(character)) is None:
                part = self._made[character] = re.compile(self._character(character))
            if (found := part.match(text, at)) is None:
                break
            at, count = found.end(), count + 1
        return at, count


class _EncodedBeginnings:
    """The same in base64 and hexadecimal: the whole word of it goes."""

    def __init__(self, value: str, data: bytes) -> None:
        self._bytes = value.encode("utf-8", "surrogatepass")
        cores: dict[str, int] = {}
        for offset in range(3):
            whole = base64.b64encode(bytes(offset) + data).decode()
            first = -(-offset * 8 // 6)
            core = whole[first : (offset + len(data)) * 8 // 6]
            cores.setdefault(core, offset)
            cores.setdefault(core.replace("+", "-").replace("/", "_"), offset)
        self._offsets = cores
        self._core = re.compile("|".join(map(re.escape, cores)))
        self._digits = re.compile(rf"(?<![0-9a-f]){data.hex()}[0-9a-f]*", re.IGNORECASE)

    def masked(self, text: str) -> str:
        text = self._digits.sub(self._without_digits, text)
        parts, done = [], 0
        for found in self._core.finditer(text):
            if found.start() < done or not self._is_beginning(text, found.start(), self._offsets[found[0]]):
                continue
            start, end = found.span()
            while start > done and _BASE64.match(text, start - 1):
                start -= 1
            while end < len(text) and _BASE64.match(text, end):
                end += 1
            parts += [text[done:start], MASK]
            done = end
        return "".join([*parts, text[done:]]) if done else text

    def _without_digits(self, found: re.Match[str]) -> str:
        digits = found[0][: len(found[0]) // 2 * 2]
        return MASK if self._counts(bytes.fromhex(digits)) else found[0]

    def _is_beginning(self, text: str, at: int, offset: int) -> bool:
        """Whether what the base64 at this place says begins as the value does, and is no other word."""
        first = at - -(-offset * 8 // 6)
        if first < 0:
            return False
        word = text[first : first + 64].replace("-", "+").replace("_", "/")
        word = word[: next((n for n, c in enumerate(word) if not _BASE64.match(c) or c == "="), len(word))]
        try:
            data = binascii.a2b_base64(word + "A" * (-len(word) % 4))[: len(word) * 6 // 8]
        except ValueError:
            return False
        return self._counts(data[offset:])

    def _counts(self, data: bytes) -> bool:
        count = next((n for n, (a, b) in enumerate(zip(data, self._bytes, strict=False)) if a != b), None)
        count = min(len(data), len(self._bytes)) if count is None else count
        following = data[count : count + 1]
        return count >= LEAST and (count >= SURE or not (following.isalnum() and following.isascii()))


def beginnings(values: Iterable[str], character: Callable[[str], str]) -> Iterator[Beginnings]:
    """Of values that are long enough to have some."""
    for value in values:
        if len(value) > LEAST and not value[:LEAST].isspace():
            yield Beginnings(value, character)
