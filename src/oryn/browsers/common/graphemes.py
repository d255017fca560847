"""Text in the pieces that people take for one character: a letter with its accents, an emoji of several parts.

The rules of https://www.unicode.org/reports/tr29/#Grapheme_Cluster_Boundary_Rules as far as typing needs them; a piece
that is cut too small arrives all the same, in two.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_EXTENDING = ("Mn", "Me", "Mc")
_HANGUL = (range(0x1100, 0x1200), range(0xA960, 0xA980), range(0xD7B0, 0xD800))


def graphemes(text: str) -> list[str]:
    """Halves of surrogate pairs, which no browser takes, are replaced by U+FFFD."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"):
        if found and _belongs_to(character, found[-1]):
            found[-1] += character
        else:
            found.append(character)
    return found


def _belongs_to(character: str, before: str) -> bool:
    last = before[-1]
    if character.isascii() or last in "\r\n\t":
        return False
    code = ord(character)
    if character == _JOINER or unicodedata.category(character) in _EXTENDING:
        return True
    if last == _JOINER:
        return len(before) > 1
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:  # tones of skin, tags of flags
        return not before.isascii()
    if 0x1F1E6 <= code <= 0x1F1FF:  # two of them are a flag
        return len(before) == 1 and 0x1F1E6 <= ord(before) <= 0x1F1FF
    return _is_vowel_or_end(code) and any(ord(last) in each for each in _HANGUL)


def _is_vowel_or_end(code: int) -> bool:
    return 0x1160 <= code < 0x1200 or 0xD7B0 <= code < 0xD800
