"""Finds the login code in a message. Pure.

A code has four to ten characters, and words such as *code* or *PIN* are near it, or it has a line of its own. Messages
are full of other numbers: telephone numbers, dates, prices, orders, addresses, and what is valid for how long."""

from __future__ import annotations

import email
import email.policy
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

MAX_TEXT_CHARACTERS = 50_000
"""Maximum length of a message's text in which a code is looked for."""
MAX_CONTEXT = 120
"""How many characters before and after a candidate are looked at, in its own line."""
MIN_SCORE = 5.0
"""How much must speak for a candidate."""


@dataclass(frozen=True, slots=True)
class MessageText:
    """What a person reads of a message: its subject, and its text in one or two forms."""

    subject: str = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)


def read_message(data: bytes) -> MessageText:
    """Return the text of a message. What can't be decoded is left out; nothing is raised."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    texts: list[str] = []
    for part in message.walk():
        kind = part.get_content_type()
        if kind not in ("text/plain", "text/html") or part.get_content_disposition() == "attachment":
            continue
        try:
            text = str(part.get_content())
        except (LookupError, ValueError, AssertionError):
            raw = part.get_payload(decode=True)
            text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
        texts.append(_html_text(text) if kind == "text/html" else text)
    return MessageText(str(message.get("Subject", "")), tuple(texts))


def find_code(message: MessageText, pattern: str = "") -> str | None:
    """Return the code of a message; None if it has none. `pattern` replaces the rules: its group, or else all that it
    matches, is the code."""
    subject = _normal(message.subject)
    texts = [_normal(text) for text in message.texts]
    if pattern:
        found = next((match for text in [subject, *texts] if (match := re.search(pattern, text))), None)
        return (found[found.re.groups] or "").strip() or None if found else None
    is_about_code = _has_code_word(subject)
    candidates = [each for text in (subject, *texts) for each in _candidates(text, is_about_code, text is subject)]
    best = max(candidates, key=lambda each: each.score, default=None)
    return best.code if best is not None and best.score >= MIN_SCORE else None


# --- candidates ---


@dataclass(frozen=True, slots=True)
class _Candidate:
    code: str
    score: float


_CODE_WORDS = frozenset(
    "code codes passcode otp pin tan token verification verify 2fa mfa prüfziffer código codigo clave contraseña codice"
    " senha cod codul kod kodu koden koodi kód kódu kods kodas šifra şifre kodeord hasło kodni код кода пароль κωδικός"
    " κωδικό mã".split()
)
_CODE_ENDS = ("code", "kode", "passwort", "kennwort", "schlüssel")
_CODE_STARTS = ("bestätigungs", "sicherheits", "engangs", "eenmalig")
_CODE_PHRASES = re.compile(
    "one-time|pass code|mot de passe|mật khẩu|验证码|驗證碼|校验码|动态码|認証コード|確認コード|認証番号|ワンタイム"
    "|コード|暗証番号|인증번호|인증 코드|인증코드|확인 코드|확인코드|رمز|كود|קוד|โค้ด|รหัส|कोड|ओटीपी|কোড"
)
_OTHER_CODES = re.compile(
    r"(?:zip|postal|post|area|country|promo|promotion|promotional|discount|coupon|voucher|gift|referral|source|qr|bar"
    r"|dress|error|status)[ -]?codes?|code (?:postal|promo)|código (?:postal|promocional|de descuento|de área)"
    r"|codice (?:postale|sconto|fiscale)|kod (?:pocztowy|rabatowy)|postleitzahl|gutscheincode|rabattcode|промокод"
    r"|优惠码|邮政编码"
)
"""Codes that are no codes for a login."""
_NUMBERED = frozenset(
    "order orders booking invoice receipt ticket case ref reference customer client member account transaction tracking"
    " card in with phone telephone tel call mobile fax sms whatsapp version build model suite room apt floor box"
    " registration reg vat tax iban license since year telefon hotline hrb plz seit commande facture téléphone siret"
    " siren rcs pedido factura cliente teléfono ordine fattura telefono заказ тел телефон 订单 訂單 注文 주문".split()
)
"""Words before a number that is no code."""
_NUMBERED_STARTS = ("bestell", "auftrag", "rechnung", "kunden", "konto", "vorgang", "steuer", "zamówieni", "заказ")
_FILLERS = frozenset("number numbers no nr num nummer id code número numéro n № is ist 号 番号 번호".split())
"""Words between such a word and its number."""
_LINKS = frozenset(("", "is", "are", "ist", "lautet", "est", "es", "è", "é", "は", "是", "为", "to be"))
"""Words between one that announces a code, and the code."""
_INVITATIONS = tuple(
    "use,enter,type,input,geben sie,verwenden sie,utilisez,saisissez,entrez,introduzca,usa,inserisci,введите".split(",")
)
_UNIT_AFTER = re.compile(
    r"\s{0,3}(?:%|€|\$|£|¥|₽|eur|usd|gbp|chf|pln|kr|zł|円|元|원"
    r"|min\b|mins\b|minut|sec\b|secs|second|hour|hrs?\b|days?\b|weeks?\b|month|years?\b|sekund|stunde"
    r"|tage?n?\b|jahre?|segundo|hora|heure|jour|giorn|ore\b|минут|секунд|час|分|秒|小时|時間|분"
    r"|px|kb|mb|gb|users|people|customers|kunden|reviews|points|punkte|miles)",
    re.IGNORECASE,
)
_MONEY = ("$", "€", "£", "¥", "₽", "₹", "eur", "usd", "gbp", "chf")
_PHONE = re.compile(
    r"(?:\+\d|\(\d{2,5}\)|\b0\d{1,4}[ /-]|\b\d{3}[-. ]\d{3}[-. ]\d{4}|\b1?-?\d{3}-\d{3}-\d{4})[\d ()./-]*\d", re.ASCII
)
_MARKS = " \t:：=>*_\"'«»“”‘’[](){}|–—-.,#№"
_JOINED = re.compile(r"[\s-]+")
_START, _END = r"(?<![A-Za-z0-9.,/#+$€£¥_-])(?<!\d:)", r"(?![A-Za-z0-9_]|[.:/-]\d|,\d{3}(?!\d)|-[A-Za-z])"
_GROUPS = r"\d{4}[ -]\d{4}|\d{3}[ -]\d{2}[ -]\d{3}|\d{3}[ -]\d{3}|\d{2}[ -]\d{2}[ -]\d{2}|\d(?:[ -]\d){3,7}|\d{4,10}"
_NUMERIC = re.compile(rf"(?:(?<![A-Za-z0-9])[A-Z]{{1,3}}-|{_START})({_GROUPS}){_END}")
_MIXED = re.compile(rf"{_START}([A-Z0-9]{{4,10}}|[A-Z0-9]{{3,5}}-[A-Z0-9]{{3,5}})" + _END)
_LETTERS = re.compile(r"([A-Z]{5,8})")
_WORD = re.compile(r"\w+")
_TOP_DOMAINS = (".com", ".org", ".net", ".io", ".de", ".fr", ".example")


def _candidates(text: str, is_about_code: bool, is_subject: bool) -> Iterator[_Candidate]:
    lines = [re.sub(r"\S+", _without_address, line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    for at, line in enumerate(lines):
        former = lines[max(0, at - 2) : at]
        phones = [found.span() for found in _PHONE.finditer(line) if sum(map(str.isdigit, found[0])) >= 7]
        for form, found in _forms(line, former):
            if any(start <= found.start(1) and found.end(1) <= end for start, end in phones):
                continue
            score = _score(line, found, form, former, lines[at + 1 : at + 2])
            if score is not None:
                score += 2 * is_about_code + 2 * is_subject
                code = _JOINED.sub("", found[1]) if form == "digits" else found[1]
                yield _Candidate(code, score)


def _without_address(found: re.Match[str]) -> str:
    """Return a word; nothing if it is a URL, a mail address or a host."""
    word = found[0].strip("<>()[].,;:\"'")
    is_address = "://" in word or word.startswith("www.") or "@" in word
    is_host = any(f"{each}/" in word or word.endswith(each) for each in _TOP_DOMAINS)
    return "" if is_address or is_host else found[0]


def _forms(line: str, former: list[str]) -> Iterator[tuple[str, re.Match[str]]]:
    yield from (("digits", found) for found in _NUMERIC.finditer(line))
    for found in _MIXED.finditer(line):
        if any(map(str.isdigit, found[1])) and any(map(str.isalpha, found[1])):
            yield "mixed", found
    # Letters alone are a code only if they stand alone, below a line that announces it.
    is_announced = former and _has_code_word(former[-1]) and former[-1].endswith((":", "："))
    if is_announced and (letters := _LETTERS.fullmatch(line)) is not None:
        yield "letters", letters


def _score(line: str, found: re.Match[str], form: str, former: list[str], following: list[str]) -> float | None:
    """Return how much speaks for a candidate; None if it is something else."""
    before, after = line[: found.start()][-MAX_CONTEXT:], line[found.end() :][:MAX_CONTEXT]
    digits = _JOINED.sub("", found[1])
    if _UNIT_AFTER.match(after) or before.rstrip().lower().endswith(_MONEY):
        return None
    score = (3.0 if len(digits) == 6 else 1.5 if len(digits) in (5, 7, 8) else 1.0) if form == "digits" else 2.0
    words = before.lower()
    if _is_numbered(words) or any(len(words) - each.end() < 15 for each in _OTHER_CODES.finditer(words)):
        score -= 8
    if form == "digits" and len(digits) == 4 and digits[:2] in ("19", "20"):
        score -= 6 if _is_date(before) else 4
    is_alone = not before.strip(_MARKS) and not after.strip(_MARKS + "<")
    score += 3 * is_alone + 3 * words.rstrip(_MARKS).endswith(_INVITATIONS)
    return score + _closeness(before, after, former, following if is_alone else [])


def _is_numbered(before: str) -> bool:
    """Return whether a text ends with a word that has a number of its own: `order no.`, `ending in`."""
    words = _WORD.findall(before[-40:])
    for _ in range(2):
        if words and words[-1] in _FILLERS and (len(words) < 2 or words[-2] not in _CODE_WORDS):
            words.pop()
    if not words or len(before.rstrip(_MARKS)) - before.rindex(words[-1]) > len(words[-1]) + 20:
        return False
    if words[-1] in ("in", "with"):
        return len(words) > 1 and words[-2].startswith("end")
    return words[-1] in _NUMBERED or words[-1].startswith(_NUMBERED_STARTS)


def _is_date(before: str) -> bool:
    """Return whether a text ends with a day and a month, in either order, or with the mark of a copyright."""
    words = [each.strip(".,") for each in before.split()[-2:]]
    if words and words[-1].lower() in ("©", "(c)", "copyright"):
        return True
    days = [each for each in words if each[:2].rstrip("snrt").isdigit() and len(each) <= 4]
    return len(words) == 2 and len(days) == 1 and any(each.isalpha() for each in words)


def _closeness(before: str, after: str, former: list[str], following: list[str]) -> float:
    """Return how near a word is that announces a code."""
    if (end := max(_code_words(before, 1), default=None)) is not None and len(before) - end <= 80:
        gap = before[end:].lower()
        return 9.0 if gap.strip(_MARKS) in _LINKS else 6.0 - len(gap) / 20
    if (start := min(_code_words(after, 0), default=None)) is not None and start <= 60:
        return 5.5 - start / 30
    for distance, line in enumerate(reversed(former)):
        if _has_code_word(line):
            return 5.0 - distance
    return 2.0 if following and _has_code_word(following[0]) else 0.0


def _has_code_word(text: str) -> bool:
    return any(True for _ in _code_words(text, 0))


def _code_words(text: str, side: int) -> Iterator[int]:
    """Yield where words begin (side 0), or end (side 1), that announce a code."""
    text = text.lower()
    plain = _OTHER_CODES.sub(lambda each: "·" * len(each[0]), text)
    for found in _WORD.finditer(plain):
        if found[0] in _CODE_WORDS or found[0].endswith(_CODE_ENDS) or found[0].startswith(_CODE_STARTS):
            yield found.span()[side]
    yield from (found.span()[side] for found in _CODE_PHRASES.finditer(plain))


# --- text ---

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def _normal(text: str) -> str:
    """Return a text with plain spaces, dashes and digits, without what nobody sees."""
    text = unicodedata.normalize("NFKC", text[:MAX_TEXT_CHARACTERS])
    text = _INVISIBLE.sub("", text).replace("\u2011", "-").replace("\u2010", "-").replace("\t", " ")
    return "".join(str(unicodedata.digit(each, each)) if each.isdigit() else each for each in text)


_BLOCKS = frozenset(
    "address article blockquote br center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul".split()
)
_SKIPPED = frozenset(("head", "script", "style", "title", "svg"))


class _TextReader(HTMLParser):
    """Collects the text of HTML, a line for each block."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped.append(tag)
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]
        self._separate(tag)

    def _separate(self, tag: str) -> None:
        self.parts.append("\n" if tag in _BLOCKS else " " if tag in ("td", "th", "img") else "")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(re.sub(r"\s+", " ", data))


def _html_text(text: str) -> str:
    reader = _TextReader()
    reader.feed(text[: 10 * MAX_TEXT_CHARACTERS])
    reader.close()
    return re.sub(r"[ \u00a0]+", " ", "".join(reader.parts))
