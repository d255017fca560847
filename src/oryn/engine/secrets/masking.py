"""Masks secrets in every form in which a page, a URL or a log may contain them. Pure.

Each character may be itself or one of its escapes (percent encoding, including that of `escape()`, JSON and JavaScript,
HTML), also escaped twice, in any mixture and case. It may also be the character that a browser puts in its place in a
file's name. The whole, or one escaped form of it, may be base64 or hexadecimal, also twice; the whole may also be
base32, or UTF-16 in base64 or hexadecimal. An end may be cut off (`prefixes`). A page that intends to hide a secret can
still do so, because no list of encodings is complete."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from html.entities import codepoint2name
from urllib.parse import quote

from oryn.core.records import Record
from oryn.core.text_safety import plain
from oryn.engine.secrets.prefixes import secret_prefixes
from oryn.language import MASK, VAULT_REFERENCE

MAX_FULLY_ESCAPED_CHARACTERS = 128
"""Maximum length of a value whose letters and digits are also matched escaped. Escaping these is unusual in longer
values."""
MIN_ENCODED_CHARACTERS = 8
"""Characters of base64 that suffice to recognise a value."""
MIN_CUT_CHARACTERS = 3
"""Characters before a `…` that suffice to recognise a value."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]")
_CUT = re.compile(r"…|\.\.\.")
_REPLACED_IN_FILE_NAMES = frozenset('"*/:<>?\\|~.')
"""Characters that a browser replaces by `_` in a file's name, at its beginning or anywhere.
https://source.chromium.org/chromium/chromium/src/+/main:base/i18n/file_util_icu.cc"""
MAX_BACKSLASHES = 8
"""Backslashes that may escape one character, which four-fold escaping needs. More would let a page's run of them take
time that grows with its square."""
MAX_SPACES = 64
"""Maximum length of white space in the place of that in a value, for the same reason."""
_RUN = rf"\\{{1,{MAX_BACKSLASHES}}}"
_SHORT = {"\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_QUOTE = r"\\{0,4}[\"']?"
_BETWEEN = rf"{_QUOTE}(?:,|&|;|%2C)\s{{0,4}}(?:{_QUOTE}[\w\[\].%-]{{1,24}}{_QUOTE}\s?[=:]\s?)?{_QUOTE}"
"""What stands between two characters that belong to two fields, or items of a list."""
_DIGITS = re.compile(r"\d{4,}", re.ASCII)
_SPREAD_DIGITS = re.compile(rf"(?<!\d)\d(?:{_BETWEEN}\d(?!\d)){{3,}}", re.ASCII)
_SINGLE_DIGIT = re.compile(r"(?<![\w\]%.-])\d(?![\w\[])", re.ASCII)
LATEST_CODES = 3
"""How many codes are masked in every form. The ones before are spent, and are masked as digits, together or spread: a
session may use hundreds."""
_ESCAPED_BEFORE = r"(?:(?<!\w)|(?<=\\[nrt])|(?<=%[0-9a-f]{2})|(?<=\\u[0-9a-f]{4}))"


class MaskedValue(Record):
    """A value to mask. `word`: only as a whole word, because it may be part of other words. `spread`: also character by
    character, as pages send the boxes of a code: `["1", "2"]`, `a=1&b=2`."""

    value: str
    word: bool = False
    spread: bool = False


class SecretMasker:
    """Replaces values by `MASK`."""

    def __init__(self, hidden: Iterable[MaskedValue]) -> None:
        values = list(hidden)
        codes = [each for each in values if each.spread and each.value.isdecimal()]
        self._spent = frozenset(each.value for each in codes[:-LATEST_CODES])
        self._spent_lengths = sorted({len(each) for each in self._spent}, reverse=True)
        whole = [each for each in values if each.value not in self._spent]
        longest_first = sorted(whole, key=lambda each: len(each.value), reverse=True)
        self._values = frozenset(each.value for each in values)
        self._forms = re.compile("|".join(map(_pattern, longest_first)), re.IGNORECASE)
        encoded = sorted({core for each in longest_first for core in _encodings(each)}, key=len, reverse=True)
        self._encoded = re.compile("|".join(map(re.escape, encoded))) if encoded else None
        self._value_forms = {
            form
            for each in longest_first
            if not each.word
            for form in (each.value, plain(each.value), quote(each.value, safe="", errors="replace"))
        }
        self._prefixes = tuple(secret_prefixes([each.value for each in longest_first if not each.word], _exact))

    def mask(self, text: str, *, displayed: bool = False) -> str:
        """Mask values and their prefixes in a text.

        `displayed`: a page displays the text to people (`prefixes`)."""
        if "{{" not in text:
            return self._mask(text, displayed)
        # A reference stays unchanged, even if its name contains a value: it is the only way to use the secret.
        parts, end = [], 0
        for found in VAULT_REFERENCE.finditer(text):
            parts += [self._mask(text[end : found.start()], displayed), found[0]]
            end = found.end()
        return "".join([*parts, self._mask(text[end:], displayed)])

    def _mask(self, text: str, displayed: bool) -> str:
        text = self._forms.sub(MASK, text)
        if self._spent:
            text = _DIGITS.sub(lambda each: self._without_spent(each[0]), text)
            text = _SPREAD_DIGITS.sub(self._without_spread, text)
        if self._encoded is not None and self._encoded.search(text):
            text = self._without_encoded(self._encoded, text)
        for each in self._prefixes:
            text = each.mask(text, displayed=displayed)
        return self._without_cut(text) if _CUT.search(text) else text

    def _without_spent(self, digits: str) -> str:
        """Return a run of digits without the spent codes in it."""
        at, parts = 0, []
        while at < len(digits):
            length = next((each for each in self._spent_lengths if digits[at : at + each] in self._spent), 0)
            parts.append(MASK if length else digits[at])
            at += length or 1
        return "".join(parts)

    def _without_spread(self, found: re.Match[str]) -> str:
        """Return single digits that stand in a row; the mask if a spent code is among them."""
        digits = "".join(each for each in _SINGLE_DIGIT.findall(found[0]))
        return MASK if MASK in self._without_spent(digits) else found[0]

    def is_secret(self, text: str) -> bool:
        """Return whether a text equals a value."""
        return text in self._values

    @staticmethod
    def _without_encoded(encoded: re.Pattern[str], text: str) -> str:
        """Mask the whole base64 word, because adjacent content shares characters with the value."""
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
        """Mask the part of a value before an ellipsis that cuts it off."""
        parts, end = [], 0
        for found in _CUT.finditer(text):
            before = text[end : found.start()]
            length = max((_common_length(before, beginning) for beginning in self._value_forms), default=0)
            parts += [before[: len(before) - length] + MASK if length else before, found[0]]
            end = found.end()
        return "".join([*parts, text[end:]])


def _common_length(before: str, value: str) -> int:
    """Return how many characters at the end of `before` are the beginning of `value`; 0 if they are too few to
    recognise it."""
    last = before[-1:].casefold()
    for length in range(min(len(before), len(value)), MIN_CUT_CHARACTERS - 1, -1):
        if value[length - 1].casefold() == last and before[-length:].casefold() == value[:length].casefold():
            return length
    return 0


def _pattern(hidden: MaskedValue) -> str:
    """Return a pattern of all forms of the value."""
    everything = len(hidden.value) <= MAX_FULLY_ESCAPED_CHARACTERS
    text = "".join(_part(part, everything) for part in _PART.findall(hidden.value))
    digits = hidden.value.encode("utf-8", "surrogatepass").hex()
    if hidden.word:
        return rf"{_ESCAPED_BEFORE}(?:{text})(?!\w)"
    if hidden.spread:
        text += f"|{_BETWEEN.join(map(re.escape, hidden.value))}"
    return f"{text}|{digits}" if len(digits) >= MIN_ENCODED_CHARACTERS else text


# Pages render white space in various ways; forms write `+` for it. A run of backslashes is one part, because there are
# many ways to divide a run of a page among several parts.
_PART = re.compile(r"[\s+]++|\\++|[^\s+\\]")


def _part(part: str, everything: bool) -> str:
    if len(part) > 1 and part[0] == "\\":
        _, *escapes = _escapes("\\")
        return rf"(?:\\{{{len(part)},{len(part) * MAX_BACKSLASHES}}}|(?:{'|'.join(escapes)}){{{len(part)}}})"
    if any(map(str.isspace, part)):
        return _space(part)
    return "".join(_character(each, everything) for each in part)


def _space(characters: str) -> str:
    """Return a pattern of any run of white space and its escapes."""
    escapes = dict.fromkeys(each for character in f" +\u00a0{characters}" for each in list(_escapes(character))[1:])
    # No two alternatives match one text: there would be as many ways to read a run as there are subsets of it.
    return rf"(?:\s|\+|{'|'.join(escapes)}){{1,{MAX_SPACES}}}"


def _character(character: str, everything: bool) -> str:
    if not everything and character.isalnum() and character.isascii():
        return character
    return f"(?:{'|'.join(_escapes(character))})"


def _exact(character: str) -> str:
    """Return a pattern of one character in its own case, and of its escapes in any case."""
    if character.isspace():
        return f"(?i:{_space(character)})"
    itself, *escapes = _escapes(character)
    return f"(?:{itself}|(?i:{'|'.join(escapes)}))"


def _escapes(character: str) -> Iterator[str]:
    code = ord(character)
    itself = re.escape(character)
    # `\"` of JSON, `\\\"` of JSON in JSON; a backslash itself is two, or four.
    yield _RUN if character == "\\" else f"(?:{_RUN})?{itself}" if character in "\"'/`" else itself
    if character in _REPLACED_IN_FILE_NAMES:
        yield "_"
    yield "".join(f"%(?:25)*{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    if character in _SHORT:
        yield f"{_RUN}{_SHORT[character]}"
    units = character.encode("utf-16-be", "surrogatepass")
    yield "".join(f"{_RUN}u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    yield "".join(f"%(?:25)*u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    yield rf"{_RUN}u\{{0*{code:x}\}}"
    if code < 0x100:
        yield f"{_RUN}x{code:02x}"
        yield f"{_RUN}0*{code:o}(?![0-7])"
    if 0x80 <= code < 0x100:
        yield f"%(?:25)*{code:02x}"
    yield f"&(?:amp;)*#(?:0*{code}|x0*{code:x});?"
    if code in codepoint2name:
        yield f"&(?:amp;)*{codepoint2name[code]};"


def _encodings(hidden: MaskedValue) -> Iterator[str]:
    """Yield what the base64 form of any text with the value contains, for the value as it is or escaped. Also yield
    base64 of base64, hexadecimal in base64 and the reverse, hexadecimal of hexadecimal, base32, and UTF-16 in all."""
    data = hidden.value.encode("utf-8", "surrogatepass")
    for encoding in ("utf-16-le", "utf-16-be"):
        wide = hidden.value.encode(encoding, "surrogatepass")
        yield from _base64_cores(wide)
        if not hidden.word:
            yield from (wide.hex(), wide.hex().upper())
    whole = [] if hidden.word else [base64.b32encode(data).decode()]
    for core in list(_cores(base64.b32encode, data, 5)) or whole:
        yield from (core, core.lower())
    if not hidden.word:
        for digits in (data.hex(), data.hex().upper()):
            yield from (digits.encode().hex(), digits.encode().hex().upper())
    for form in _spellings(hidden.value):
        digits = form.encode("utf-8", "surrogatepass").hex()
        if not hidden.word:
            yield from _encoded(digits)
            yield from _encoded(digits.upper())
        for core in _encoded(form, alone=not hidden.word):
            yield core
            if len(core) >= MIN_ENCODED_CHARACTERS:
                yield from _encoded(core)
                yield core.encode().hex()


def _spellings(value: str) -> set[str]:
    """Return the forms of a value that may be encoded."""
    text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    quoted = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    return {value, *quoted, quote(text, safe=""), html.escape(value), html.escape(value, quote=False)}


def _encoded(text: str, *, alone: bool = False) -> Iterator[str]:
    """Yield what base64 of any text that contains `text` includes. If that is too short to recognise, yield with
    `alone` that of the text alone."""
    data = text.encode("utf-8", "surrogatepass")
    cores = list(_base64_cores(data))
    yield from cores
    if not cores and alone:
        yield base64.b64encode(data).decode()


def _base64_cores(data: bytes) -> Iterator[str]:
    for core in _cores(base64.b64encode, data, 3):
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _cores(encode: Callable[[bytes], bytes], data: bytes, group: int) -> Iterator[str]:
    """Yield what the encoded form of any bytes that contain `data` includes, for each offset in a group of bytes, if it
    is long enough to recognise. `group`: the bytes that are encoded together, to eight characters if they are five, to
    four if they are three."""
    bits = {3: 6, 5: 5}[group]
    for offset in range(group):
        whole = encode(bytes(offset) + data).decode()
        core = whole[-(-offset * 8 // bits) : (offset + len(data)) * 8 // bits]
        if len(core) >= MIN_ENCODED_CHARACTERS:
            yield core
