"""Prepares text for a model: redacts personal data and escapes what could forge a message. Pure.

Redaction replaces e-mail addresses, telephone numbers, card numbers and tokens.

A message is a sequence of blocks (`<browsing_context>`, `<api_activity>`, `<command_result>`) and of lines that begin
with `System`. Text from pages is inside a block or follows a word of Oryn's. It is on one line, with `<`, `>` and `&`
as entities and with invisible characters (`core.text_safety.UNSEEN`) written out. So no page can close a block, write
`<tool_code>`, begin a line with `System:`, or write the session keyword."""

from __future__ import annotations

import re
from typing import Literal

from oryn.core import text_safety

Redaction = Literal["off", "values", "all"]
"""`values` redacts values of fields, URLs of links, and bodies of requests. `all` redacts all other text of a page,
too."""

EMAIL, PHONE, CARD, TOKEN, SECRET = "[email]", "[phone]", "[card]", "[token]", "[withheld]"

# Each pattern is tried once for a run of characters, so that matching takes linear time.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@|%40)[\w-]++(?:\.[\w-]++)+")
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w]|\.\d)")
# Matches international numbers and numbers in North American groups, because other digits may be anything.
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


def redact(text: str) -> str:
    """Replace e-mail addresses, card numbers, telephone numbers and tokens by `[email]`, `[card]`, `[phone]` and
    `[token]`."""
    text = _TOKEN.sub(TOKEN, text)
    text = _EMAIL.sub(EMAIL, text)
    text = _DIGITS.sub(_mask_card, text)
    text = _PHONE.sub(PHONE, text)
    return _LONG.sub(_mask_long_token, text)


def redact_body(body: str) -> str:
    """Redact the body of a request, including values of fields whose names suggest secrets."""
    return redact(_FIELD.sub(_mask_field, body))


def _mask_field(found: re.Match[str]) -> str:
    if _SECRET.search(found[2]) is None:
        return found[0]
    quote = found[3][0] if found[3][0] in "\"'" else ""
    return f"{found[1]}{quote}{SECRET}{quote}"


def _mask_card(found: re.Match[str]) -> str:
    digits = [int(each) for each in found[0] if each.isdigit()]
    return CARD if passes_luhn(digits) else found[0]


def passes_luhn(digits: list[int]) -> bool:
    """Return whether the check digit of a card number is right: ISO/IEC 7812-1, annex B."""
    doubled = [each * 2 - 9 if each > 4 else each * 2 for each in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and any(digits)


def _mask_long_token(found: re.Match[str]) -> str:
    """Mask a run of both letters and digits, as in keys; words of a language contain no digits."""
    run = found[0]
    has = (any(map(str.isdigit, run)), any(map(str.isalpha, run)))
    return TOKEN if all(has) and "/" not in run.strip("/") else run


_HIDDEN = re.compile(f"[\x00-\x1f{text_safety.UNSEEN}]")
_ENTITIES = str.maketrans(
    # A parser doesn't read the wide forms as tags, but a model may.
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\uff1c": "&lt;", "\ufe64": "&lt;", "\uff1e": "&gt;", "\ufe65": "&gt;"}
)
_KEYWORD = re.compile(r"\[(?=\s*END\s*:)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def escape_line(words: str, limit: int = 0) -> str:
    """Escape a page's text and put it on one line. White space becomes one space; `limit` is the maximum length in
    characters (0: no limit)."""
    line = " ".join(words.split())
    return _escape(text_safety.shortened(line, limit) if limit else line)


def attribute(name: str, value: str, limit: int = 0) -> str:
    """Format an attribute, ` name="value"`, with its value escaped. `limit` is as in `escape_line`."""
    return f' {name}="{escape_line(value, limit).replace(chr(34), "&quot;")}"'


def quote_block(words: str) -> str:
    """Escape a page's longer text; every line begins with `| `."""
    return "\n".join(f"| {_escape(line)}".rstrip() for line in _LINE_END.split(words))


def escape_user_text(words: str) -> str:
    """Put the user's text on one line. It stays as it is, except for control characters and anything like the session
    keyword."""
    return _KEYWORD.sub("&#91;", _HIDDEN.sub(_escape_match, " ".join(words.split())))


def _escape(line: str) -> str:
    return _KEYWORD.sub("&#91;", _HIDDEN.sub(_escape_match, line.replace("\t", " ")).translate(_ENTITIES))


def _escape_match(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
