"""Texts as people compare them: without the characters that nobody sees, and with one form for what is typed alike.

The scanner folds in the same way: `make scanner` takes the tables of this module over (`scanner/dom/folded.ts`)."""

from __future__ import annotations

import re
import unicodedata

SAME = {
    **dict.fromkeys("‘’‚‛‹›′‵ʹʼ＇´`", "'"),
    **dict.fromkeys("“”„‟«»″‶＂", '"'),
    **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－", "-"),
    "…": "...",
}
"""Characters that keyboards have in one form and pages in several: quotes, primes, dashes, the ellipsis."""

# https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters without a picture of their own, but for the joiner U+200D; for a regular expression's brackets."""

JOINED = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
"""Pictures that a joiner makes one of, as in families and professions; for a regular expression's brackets."""

_IGNORED = re.compile(f"([{JOINED}])\ufe0f?(\u200d)|[{IGNORABLE}\u200d]")
_SAME = str.maketrans(SAME)
_SPACE = re.compile(r"\s+")


# Joiners shape emoji, and the letters of Arabic, the Indic scripts and their neighbours.
_SHAPED = f"{JOINED}\ufe0f\u0600-\u0dff\u0e80-\u109f\u1780-\u18af\U00010a00-\U00011fff"
_UNSEEN = re.compile(
    f"(?<![{_SHAPED}])[\u200c\u200d]|(?<![{JOINED}\xa9\xae\u203c\u2049\u2122\u2139#*0-9])[\ufe0e\ufe0f]"
    "|[" + IGNORABLE.replace("\u200c", "").replace("\ufe00-\ufe0f", "\ufe00-\ufe0d") + "]"
)


def without_ignorable(text: str) -> str:
    """Return a name without the characters that nobody sees, such as soft hyphens; joiners stay where they shape."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def fold(text: str) -> str:
    """Return a text in the form in which it is compared: without case, without characters that nobody sees, in
    compatibility composition (NFKC), with plain quotes and dashes, and its white space collapsed."""
    if not text.isascii():
        text = _IGNORED.sub(r"\1\2", unicodedata.normalize("NFKC", text.translate(_SAME)))
    return _SPACE.sub(" ", text).strip().lower()
