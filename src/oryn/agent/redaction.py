"""Personal data taken out of what a model is shown: e-mail addresses, telephone numbers, card numbers, tokens. Pure."""

from __future__ import annotations

import re
from typing import Literal

Redaction = Literal["off", "values", "all"]
"""`values`: what fields hold, addresses of links, and bodies of requests; `all`: whatever else a page says, too."""

EMAIL, PHONE, CARD, TOKEN, SECRET = "[email]", "[phone]", "[card]", "[token]", "[withheld]"

# Each pattern is tried once for a run of characters, so that its time grows with the text and no faster.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@|%40)[\w-]++(?:\.[\w-]++)+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w]|\.\d)")
# An international number, or one in the groups of North America's; other digits may be anything.
_PHONE = re.compile(
    r"(?<![\w.])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){5,12}"
    r"|(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4})(?!\w)"
)
_TOKEN = re.compile(
    r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?"  # a JSON Web Token: RFC 7519
    r"|(?<![\w-])(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|pypi)[-_][\w-]{16,}+"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}+"
    r"|\b(?:[Bb]earer|[Bb]asic) [\w.~+/=-]{12,}+"
)
_LONG = re.compile(r"(?<![\w/+-])[\w+/-]{32,}+={0,2}(?![\w/+-])")
_FIELD = re.compile(
    r"""((?<![\w-])([\w-]++)["']?+\s*+[:=]\s*+)("(?:[^"\\]|\\.)*+"|'[^']*+'|[^\s&,;}"']++)""", re.DOTALL
)
_SECRET = re.compile(r"passw|passphrase|passcode|secret|token|api[_-]?key|authorization|session|cvv|cvc", re.IGNORECASE)


def redacted(text: str) -> str:
    """A text with `[email]`, `[card]`, `[phone]` and `[token]` in the place of what is one."""
    text = _TOKEN.sub(TOKEN, text)
    text = _EMAIL.sub(EMAIL, text)
    text = _DIGITS.sub(_card, text)
    text = _PHONE.sub(PHONE, text)
    return _LONG.sub(_long, text)


def redacted_body(body: str) -> str:
    """The body of a request likewise, and without what fields hold that are called after secrets."""
    return redacted(_FIELD.sub(_withheld, body))


def _withheld(found: re.Match[str]) -> str:
    if _SECRET.search(found[2]) is None:
        return found[0]
    quote = found[3][0] if found[3][0] in "\"'" else ""
    return f"{found[1]}{quote}{SECRET}{quote}"


def _card(found: re.Match[str]) -> str:
    digits = [int(each) for each in found[0] if each.isdigit()]
    return CARD if passes_luhn(digits) else found[0]


def passes_luhn(digits: list[int]) -> bool:
    """The check digit of card numbers: ISO/IEC 7812-1, annex B."""
    doubled = [each * 2 - 9 if each > 4 else each * 2 for each in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and any(digits)


def _long(found: re.Match[str]) -> str:
    """A run of letters and digits as keys are: words of a language have no digits among them."""
    run = found[0]
    has = (any(map(str.isdigit, run)), any(map(str.isalpha, run)))
    return TOKEN if all(has) and "/" not in run.strip("/") else run
