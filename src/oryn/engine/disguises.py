"""Finding a secret in whatever form a page, a URL or a log may show it. Pure.

Each character may be itself or one of its escapes (percent encoding, JSON and JavaScript, HTML), also escaped twice, in
any mixture and case; the whole may be base64 or hexadecimal; an end may be cut off with `…`. A page that means to hide
it can still do so: no list of disguises is complete.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from urllib.parse import quote

from oryn.engine.escape import plain
from oryn.language import MASK, VAULT_REFERENCE
from oryn.records import Record

FULLY_ESCAPED = 128
"""Characters of a value up to which letters and digits are looked for escaped, too; nobody escapes them innocently."""
LEAST_ENCODED = 8
"""Characters of base64 that are enough to tell a value by."""
LEAST_CUT = 3
"""Characters before a `…` that are enough."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]")
_CUT = re.compile(r"…|\.\.\.")
_SHORT = {"\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_ESCAPED_BEFORE = r"(?:(?<!\w)|(?<=\\[nrt])|(?<=%[0-9a-f]{2})|(?<=\\u[0-9a-f]{4}))"


class Hidden(Record):
    """A value to be hidden. `word`: only where it stands alone, for it may be a part of words."""

    value: str
    word: bool = False


class Disguises:
    """Puts dots in the place of values."""

    def __init__(self, hidden: Iterable[Hidden]) -> None:
        longest_first = sorted(hidden, key=lambda each: len(each.value), reverse=True)
        self._values = frozenset(each.value for each in longest_first)
        # A reference stays one, whatever its name is: it is the only way to use the secret.
        forms = [VAULT_REFERENCE.pattern, *map(_form, longest_first)]
        self._forms = re.compile("|".join(forms), re.IGNORECASE)
        encoded = sorted({core for each in longest_first for core in _encoded(each)}, key=len, reverse=True)
        self._encoded = re.compile("|".join(map(re.escape, encoded))) if encoded else None
        self._beginnings = {
            form
            for each in longest_first
            if not each.word
            for form in (each.value, plain(each.value), quote(each.value, safe="", errors="replace"))
        }

    def masked(self, text: str) -> str:
        text = self._forms.sub(lambda found: found[0] if VAULT_REFERENCE.fullmatch(found[0]) else MASK, text)
        if self._encoded is not None and self._encoded.search(text):
            text = self._without_encoded(self._encoded, text)
        return self._without_beginnings(text) if _CUT.search(text) else text

    def is_one(self, text: str) -> bool:
        """Whether a text is a value, and nothing else."""
        return text in self._values

    @staticmethod
    def _without_encoded(encoded: re.Pattern[str], text: str) -> str:
        """The whole word of base64 goes: what is beside the value shares characters with it."""
        parts, end = [], 0
        for found in encoded.finditer(text):
            if found.start() < end:
                continue
            start, stop = found.span()
            while start > end and _BASE64.match(text, start - 1):
                start -= 1
            while stop < len(text) and _BASE64.match(text, stop):
                stop += 1
            parts += [text[end:start], MASK]
            end = stop
        return "".join([*parts, text[end:]])

    def _without_beginnings(self, text: str) -> str:
        """What was cut off in the middle of a value."""
        parts, end = [], 0
        for found in _CUT.finditer(text):
            before = text[end : found.start()]
            length = max((_common(before, beginning) for beginning in self._beginnings), default=0)
            parts += [before[: len(before) - length] + MASK if length else before, found[0]]
            end = found.end()
        return "".join([*parts, text[end:]])


def _common(before: str, value: str) -> int:
    """How many characters at the end of `before` are the beginning of `value`, where that is not too few to tell."""
    for length in range(min(len(before), len(value)), LEAST_CUT - 1, -1):
        if before[-length:].casefold() == value[:length].casefold():
            return length
    return 0


def _form(hidden: Hidden) -> str:
    """A pattern of everything that the value may look like."""
    everything = len(hidden.value) <= FULLY_ESCAPED
    # Pages show white space as they like.
    parts = re.split(r"(\s+)", hidden.value)
    text = "".join(
        _space(part) if part.isspace() else "".join(_character(c, everything) for c in part) for part in parts
    )
    digits = hidden.value.encode("utf-8", "surrogatepass").hex()
    if hidden.word:
        return rf"{_ESCAPED_BEFORE}(?:{text})(?!\w)"
    return f"{text}|{digits}" if len(digits) >= LEAST_ENCODED else text


def _space(characters: str) -> str:
    """Any run of white space, and of what it may be escaped as."""
    escapes = dict.fromkeys(each for character in f" \u00a0{characters}" for each in _escapes(character))
    return rf"(?:\s|\+|{'|'.join(escapes)})+"


def _character(character: str, everything: bool) -> str:
    if not everything and character.isalnum() and character.isascii():
        return character
    return f"(?:{'|'.join(_escapes(character))})"


def _escapes(character: str) -> Iterator[str]:
    code = ord(character)
    itself = re.escape(character)
    # `\"` of JSON, `\\\"` of JSON in JSON; a backslash itself is two, or four.
    yield r"\\+" if character == "\\" else rf"\\*{itself}" if character in "\"'/`" else itself
    yield "".join(f"%(?:25)*{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    if character in _SHORT:
        yield rf"\\+{_SHORT[character]}"
    units = character.encode("utf-16-be", "surrogatepass")
    yield "".join(rf"\\+u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    yield rf"\\+u\{{0*{code:x}\}}"
    if code < 0x100:
        yield rf"\\+x{code:02x}"
    yield f"&(?:amp;)*#(?:0*{code}|x0*{code:x});?"
    if code in codepoint2name:
        yield f"&(?:amp;)*{codepoint2name[code]};"


def _encoded(hidden: Hidden) -> Iterator[str]:
    """What base64 of anything with the value in it has, whichever of three bytes the value begins at; and that of the
    value alone, where it is short."""
    data = hidden.value.encode("utf-8", "surrogatepass")
    for offset in range(3):
        whole = base64.b64encode(bytes(offset) + data).decode()
        core = whole[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        if len(core) >= LEAST_ENCODED:
            yield core
            yield core.replace("+", "-").replace("/", "_")
        elif not offset and not hidden.word:
            yield whole
