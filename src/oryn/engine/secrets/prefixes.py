"""Finds prefixes of a secret: a page may log, send or store them while it is typed, or truncate the secret. Pure.

A prefix counts from `MIN_PREFIX_CHARACTERS` characters on, in the value's own case, if no letter or digit is next to
it, in any mixture of escapes. From `CERTAIN_PREFIX_CHARACTERS` on it counts anywhere. Shorter ones, or `pass` in
`passenger`, are not evidence. Text that pages *display* is full of words, and a value may begin with one
(`summer-2026`). So there a prefix that is only a word stays (`may_be_word`)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator

from oryn.language import MASK

MIN_PREFIX_CHARACTERS = 4
"""Minimum length of a prefix that is masked."""
CERTAIN_PREFIX_CHARACTERS = 12
"""Length from which a match can't be a coincidence."""
_LETTER = re.compile(r"[^\W_]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]")
_ESCAPE = re.compile(r"%[0-9a-fu]|\\|&[#a-z]", re.IGNORECASE)
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrtbfv])|(?<=%[0-9a-fA-F]{2})|(?<=\\u[0-9a-fA-F]{4}))"


def may_be_word(text: str) -> bool:
    """Return whether a page may contain the text by chance: a short one of letters alone, in the case of words."""
    return (
        len(text) < CERTAIN_PREFIX_CHARACTERS
        and text.isalpha()
        and (text.islower() or text[1:].islower() or text.isupper())
    )


class SecretPrefix:
    """The prefixes of one value. `character` returns the pattern of one character, including its escapes."""

    def __init__(self, value: str, character: Callable[[str], str]) -> None:
        data = value[:MIN_PREFIX_CHARACTERS].encode("utf-8", "surrogatepass")
        self._encoded = _EncodedPrefix(value, data)
        value = re.sub(r"\s+", " ", value)  # pages render white space in various ways
        self._value = value
        self._character = character
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._plain = value[:MIN_PREFIX_CHARACTERS]
        self._start = re.compile(_BEFORE + "".join(map(character, value[:MIN_PREFIX_CHARACTERS])))

    def mask(self, text: str, *, displayed: bool) -> str:
        if self._plain in text or _ESCAPE.search(text):
            text = self._without(text, displayed)
        return self._encoded.mask(text)

    def _without(self, text: str, displayed: bool) -> str:
        parts, done = [], 0
        for found in self._start.finditer(text):
            if found.start() < done:
                continue
            end, count = self._end(text, found.end())
            if count < CERTAIN_PREFIX_CHARACTERS and end < len(text) and _LETTER.match(text, end):
                continue
            if displayed and text[found.start() : end] == self._value[:count] and may_be_word(self._value[:count]):
                continue
            parts += [text[done : found.start()], MASK]
            done = end
        return "".join([*parts, text[done:]]) if done else text

    def _end(self, text: str, at: int) -> tuple[int, int]:
        """Return where the prefix ends, and how many of the value's characters it has."""
        count = MIN_PREFIX_CHARACTERS
        for character in self._value[MIN_PREFIX_CHARACTERS:]:
            if (part := self._patterns.get(character)) is None:
                part = self._patterns[character] = re.compile(self._character(character))
            if (found := part.match(text, at)) is None:
                break
            at, count = found.end(), count + 1
        return at, count


class _EncodedPrefix:
    """The prefixes in base64 and hexadecimal; the whole encoded word is masked."""

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

    def mask(self, text: str) -> str:
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
        """Return whether the decoded base64 at this position begins like the value, and is not another word."""
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
        return count >= MIN_PREFIX_CHARACTERS and (
            count >= CERTAIN_PREFIX_CHARACTERS or not (following.isalnum() and following.isascii())
        )


def secret_prefixes(values: Iterable[str], character: Callable[[str], str]) -> Iterator[SecretPrefix]:
    """Yield the `SecretPrefix` of each value that is long enough."""
    for value in values:
        if len(value) > MIN_PREFIX_CHARACTERS and not value[:MIN_PREFIX_CHARACTERS].isspace():
            yield SecretPrefix(value, character)
