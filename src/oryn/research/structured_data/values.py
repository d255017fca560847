"""Turns the text of a page into a value of a schema's type, or into None if it is not such a value."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from oryn.errors import SchemaInvalid
from oryn.research.structured_data.schema import SchemaField, words_of
from oryn.research.text.bylines import author_of

MAX_PATTERN_SECONDS = 1.0
"""The maximum time in which a schema's pattern must match a text or not."""
MAX_TEXT_CHARACTERS = 20_000
"""The maximum length of a value; longer text is not one value."""

NUMBER = re.compile(
    r"(?<![\w.,])[-−+]?\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3}){1,8}(?:[.,]\d++)?(?!\d)|(?:[-−+]|(?<!\d))\d++(?:[.,]\d++)?"
)
_AMOUNT = r"(?:[€$£¥₹₽₩]|\b(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|kr|zł)\b)"
MONEY = re.compile(rf"{_AMOUNT}\s?(?:{NUMBER.pattern})|(?:{NUMBER.pattern})\s?{_AMOUNT}")
_SYMBOLS = {"€": "EUR", "£": "GBP", "$": "USD", "₹": "INR", "₽": "RUB", "₩": "KRW", "¥": "JPY", "zł": "PLN"}
_CODE = re.compile(r"\b(EUR|USD|GBP|CHF|JPY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|INR|BRL|CNY|KRW|ZAR|TRY|MXN)\b")
_SCALE = re.compile(r"(?:(?<!\s)\s++|)(?:/|out of|of|von|sur|de)\s*+\d+(?:[.,]\d+)?\b")
_YES = frozenset(
    {"yes", "true", "y", "in stock", "instock", "available", "ja", "oui", "sí", "✓", "✔", "☑", "included", "on"}
)
_NO = frozenset(
    {
        "no",
        "false",
        "n",
        "out of stock",
        "outofstock",
        "sold out",
        "soldout",
        "unavailable",
        "not available",
        "nein",
        "non",
        "✗",
        "✘",
        "×",
        "☐",
        "none",
        "off",
        "discontinued",
    }
)
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s*(Z|[+-]\d\d:?\d\d)?)?")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_DURATION = re.compile(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?", re.I)
_ENUMERATION = re.compile(r"https?://schema\.org/(\w+)/?")
EMPTY = frozenset(
    {"", "-", "–", "—", "n/a", "n.a.", "na", "none", "null", "unknown", "not specified", "tba", "tbd", "?"}
)
"""Texts that stand for a missing value."""


def clean(text: str) -> str:
    """The text on one line, without spaces around it."""
    return " ".join(text.split())


def convert(text: str, field: SchemaField, base: str = "") -> Any:
    """The value of `text` for a scalar field; None if it is not one, or breaks the field's `enum`, `pattern` or limits.
    `base` is the URL of the page, for relative links."""
    text = clean(text)
    if text.casefold() in EMPTY or len(text) > MAX_TEXT_CHARACTERS:
        return None
    if "enum" in field.schema:
        return _choice(text, field)
    match field.type:
        case "integer":
            number = number_of(text, integer=True)
            value: Any = int(number) if number is not None and number == int(number) else None
            if value is None and (minutes := _minutes(text, field)) is not None:
                value = minutes
        case "number":
            value = number_of(text)
            if value is None:
                value = _minutes(text, field)
        case "boolean":
            value = boolean_of(text)
        case "string":
            value = _text(text, field, base)
        case _:
            value = None
    return value if value is not None and _is_allowed(value, field) else None


def number_of(text: str, *, integer: bool = False) -> float | int | None:
    """The number that a text is: `€ 1.234,50`, `388 m (1,273 ft)`, `4.5 out of 5`. None if it has several, or is a
    sentence."""
    text = re.sub(r"(?:(?<!\s)\s++|)\([^()]*+\)", "", text) or text
    text = _SCALE.sub("", text)
    found = list(NUMBER.finditer(text))
    if len(found) != 1:
        return None
    before, after = text[: found[0].start()], text[found[0].end() :]
    if len(words_of(before)) > 3 or len(words_of(after)) > 4 or (before[-1:].isalpha() and len(before.split()[-1]) > 3):
        return None
    return parse_number(found[0][0], integer=integer)


def parse_number(text: str, *, integer: bool = False) -> float | int | None:
    """The value of digits with separators. A single dot or comma before three digits separates thousands if the value
    is an integer or the separator is a comma."""
    digits = re.sub(r"['’\s\u00a0\u202f]", "", text.replace("−", "-"))
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0:
        mark = digits[last]
        fraction = digits[last + 1 :]
        several = digits.count(mark) > 1
        both = "." in digits and "," in digits
        thousands = several or (len(fraction) == 3 and not both and (mark == "," or integer))
        whole = re.sub(r"[.,]", "", digits if thousands else digits[:last])
        digits = whole if thousands else f"{whole}.{fraction}"
    try:
        number = float(digits)
    except ValueError:
        return None
    return int(number) if number.is_integer() and "." not in digits else number


def boolean_of(text: str) -> bool | None:
    """The truth value that a text says, if it says one."""
    if found := _ENUMERATION.fullmatch(text):
        text = found[1]
    folded = text.casefold().strip(" .!")
    if folded in _NO or folded.startswith(("out of stock", "sold out", "not ", "currently unavailable")):
        return False
    if folded in _YES or folded.startswith(("in stock", "yes,", "available ")):
        return True
    return None


def date_of(text: str, *, time: bool = False) -> str | None:
    """The day that a text names as ISO 8601, with its time if `time`. None if the day is not complete."""
    if found := _ISO.search(text):
        day = f"{found[1]}-{found[2]}-{found[3]}"
        if not time:
            return day
        return f"{day}T{found[4]}{found[5] or ''}" if found[4] else None
    if found := _DAY_FIRST.search(text):
        return None if time else f"{found[3]}-{int(found[2]):02d}-{int(found[1]):02d}"
    if len(text) > 60 or not any(char.isdigit() for char in text):
        return None
    from datetime import datetime

    from dateutil import parser  # type: ignore[import-untyped]

    try:
        # Parts that the text does not have would come from the default: two defaults show whether any is missing.
        results = {parser.parse(text, default=datetime(year, month, day), dayfirst=False).isoformat()
                   for year, month, day in ((2001, 2, 3), (2002, 4, 5))}  # fmt: skip
    except (ValueError, OverflowError):
        return None
    if len(results) != 1:
        return None
    found_date: str = results.pop()
    return found_date if time else found_date[:10]


def currency_of(text: str) -> str:
    """The ISO 4217 code of the currency of an amount, or an empty string."""
    if found := _CODE.search(text):
        return found[1]
    return next((code for symbol, code in _SYMBOLS.items() if symbol in text), "") if NUMBER.search(text) else ""


def _choice(text: str, field: SchemaField) -> Any:
    if found := _ENUMERATION.fullmatch(text):
        text = found[1]
    wanted = "".join(words_of(text))
    for choice in field.schema["enum"]:
        if isinstance(choice, str) and "".join(words_of(choice)) == wanted:
            return choice
        if isinstance(choice, int | float) and not isinstance(choice, bool) and number_of(text) == choice:
            return choice
    return None


def _text(text: str, field: SchemaField, base: str) -> str | None:
    match field.schema.get("format"):
        case "date":
            return date_of(text)
        case "date-time":
            return date_of(text, time=True) or None
        case "uri" | "url" | "uri-reference":
            return absolute(text, base)
        case "email":
            found = re.search(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++", text)
            return found[0] if found else None
    if field.concept == "author":
        return author_of(text) or None
    if field.concept == "currency" and not re.fullmatch(r"[A-Z]{3}", text):
        return currency_of(text + "" if NUMBER.search(text) else text + "0") or None
    if field.concept in ("url", "image"):
        return absolute(text, base)
    if found := _ENUMERATION.fullmatch(text):
        return found[1]
    return text


def absolute(text: str, base: str) -> str | None:
    """The absolute URL that a link means; None if it is no web address."""
    if " " in text:
        return None
    try:
        url = urljoin(base, text)
        return url if urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def _minutes(text: str, field: SchemaField) -> int | None:
    """A duration (`PT1H30M`, `1 h 30 min`) in the unit that the field's name ends with; minutes without one."""
    found = _DURATION.fullmatch(text)
    if found is None or not any(found.groups()):
        found = re.fullmatch(
            r"(?:(\d++)\s*+d(?:ays?)?)?\s*+(?:(\d++)\s*+(?:h|hrs?|hours?|std))?\.?"
            r"\s*+(?:(\d++)\s*+(?:m|mins?|minutes?))?\.?()",
            text,
            re.I,
        )
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes = (int(found[place] or 0) for place in (1, 2, 3))
    total = days * 1440 + hours * 60 + minutes
    unit = words_of(field.name)[-1:]
    return total // 60 if unit in (("hours",), ("h",)) and total % 60 == 0 else total


def _is_allowed(value: Any, field: SchemaField) -> bool:
    schema = field.schema
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return (
            value >= schema.get("minimum", value)
            and value <= schema.get("maximum", value)
            and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
            and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
        )
    if len(value) < schema.get("minLength", 0) or len(value) > schema.get("maxLength", len(value)):
        return False
    pattern = schema.get("pattern")
    return pattern is None or _matches(pattern, value)


def _matches(pattern: str, value: str) -> bool:
    """Whether a user's pattern is found in a page's text. Raises `SchemaInvalid` if that takes too long."""
    import regex  # `re` has no limit of time

    try:
        return regex.search(pattern, value, timeout=MAX_PATTERN_SECONDS) is not None
    except TimeoutError:
        raise SchemaInvalid(
            f"the pattern {pattern[:200]} takes longer than {MAX_PATTERN_SECONDS:g} s for {len(value)} characters",
            "Rewrite it without repetitions of repetitions, such as (a+)+.",
        ) from None
    except regex.error:  # ECMAScript's own syntax
        return True
