"""Finding a secret in whatever form a page, a URL or a log may show it. Pure.

Each character may be itself or one of its escapes (percent encoding, also that of `escape()`, JSON and JavaScript,
HTML), also escaped twice, in any mixture and case, or what a browser puts in its place in a file's name; the whole, or
one escaped form of it, may be base64 or hexadecimal, also twice; an end may be cut off (`beginnings`). A page that
means to hide it can still do so: no list of disguises is complete.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from urllib.parse import quote

from oryn.engine.beginnings import beginnings
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
_UNFILED = frozenset('"*/:<>?\\|~.')
"""Characters in the place of which a browser writes `_` into a file's name, at its beginning or anywhere.
https://source.chromium.org/chromium/chromium/src/+/main:base/i18n/file_util_icu.cc"""
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
        self._forms = re.compile("|".join(map(_form, longest_first)), re.IGNORECASE)
        encoded = sorted({core for each in longest_first for core in _encodings(each)}, key=len, reverse=True)
        self._encoded = re.compile("|".join(map(re.escape, encoded))) if encoded else None
        self._beginnings = {
            form
            for each in longest_first
            if not each.word
            for form in (each.value, plain(each.value), quote(each.value, safe="", errors="replace"))
        }
        self._begun = tuple(beginnings([each.value for each in longest_first if not each.word], _exact))

    def masked(self, text: str, *, shown: bool = False) -> str:
        """The text without values, and without their beginnings. `shown`: by a page, to people (`beginnings`)."""
        if "{{" not in text:
            return self._masked(text, shown)
        # A reference stays one, whatever its name is: it is the only way to use the secret.
        parts, end = [], 0
        for found in VAULT_REFERENCE.finditer(text):
            parts += [self._masked(text[end : found.start()], shown), found[0]]
            end = found.end()
        return "".join([*parts, self._masked(text[end:], shown)])

    def _masked(self, text: str, shown: bool) -> str:
        text = self._forms.sub(MASK, text)
        if self._encoded is not None and self._encoded.search(text):
            text = self._without_encoded(self._encoded, text)
        for each in self._begun:
            text = each.masked(text, shown=shown)
        return self._without_cut(text) if _CUT.search(text) else text

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

    def _without_cut(self, text: str) -> str:
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


def _exact(character: str) -> str:
    """A pattern of one character in its own case, and of its escapes in any."""
    if character.isspace():
        return f"(?i:{_space(character)})"
    itself, *escapes = _escapes(character)
    return f"(?:{itself}|(?i:{'|'.join(escapes)}))"


def _escapes(character: str) -> Iterator[str]:
    code = ord(character)
    itself = re.escape(character)
    # `\"` of JSON, `\\\"` of JSON in JSON; a backslash itself is two, or four.
    yield r"\\+" if character == "\\" else rf"\\*{itself}" if character in "\"'/`" else itself
    if character in _UNFILED:
        yield "_"
    yield "".join(f"%(?:25)*{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    if character in _SHORT:
        yield rf"\\+{_SHORT[character]}"
    units = character.encode("utf-16-be", "surrogatepass")
    yield "".join(rf"\\+u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    yield "".join(f"%(?:25)*u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    yield rf"\\+u\{{0*{code:x}\}}"
    if code < 0x100:
        yield rf"\\+x{code:02x}"
        yield rf"\\+0*{code:o}(?![0-7])"
    if 0x80 <= code < 0x100:
        yield f"%(?:25)*{code:02x}"
    yield f"&(?:amp;)*#(?:0*{code}|x0*{code:x});?"
    if code in codepoint2name:
        yield f"&(?:amp;)*{codepoint2name[code]};"


def _encodings(hidden: Hidden) -> Iterator[str]:
    """What base64 of anything with the value in it has, the value as it is or escaped, and what base64 of that has; and
    hexadecimal in base64, and base64 in hexadecimal."""
    for form in _spelled(hidden.value):
        digits = form.encode("utf-8", "surrogatepass").hex()
        if not hidden.word:
            yield from _encoded(digits)
            yield from _encoded(digits.upper())
        for core in _encoded(form, alone=not hidden.word):
            yield core
            if len(core) >= LEAST_ENCODED:
                yield from _encoded(core)
                yield core.encode().hex()


def _spelled(value: str) -> set[str]:
    """A value as it may stand in what is encoded."""
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    quoted = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    return {value, *quoted, quote(text, safe=""), html.escape(value), html.escape(value, quote=False)}


def _encoded(text: str, *, alone: bool = False) -> Iterator[str]:
    """What base64 of anything with a text in it has, whichever of three bytes the text begins at; where that is too
    short to tell, with `alone` that of the text alone."""
    data = text.encode("utf-8", "surrogatepass")
    for offset in range(3):
        whole = base64.b64encode(bytes(offset) + data).decode()
        core = whole[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        if len(core) >= LEAST_ENCODED:
            yield core
            yield core.replace("+", "-").replace("/", "_")
        elif not offset and alone:
            yield whole
