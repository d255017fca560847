"""Time-based one-time passwords (RFC 6238), and the otpauth URIs that sites hand them out in. Pure.

https://github.com/google/google-authenticator/wiki/Key-Uri-Format"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from oryn.errors import InvalidValue

Algorithm = Literal["sha1", "sha256", "sha512"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
MIN_DIGITS, MAX_DIGITS = 6, 8
MIN_KEY_BYTES = 10
"""Minimum length of a key. Sites give 80 bits at the least; a shorter one is cut off."""
MAX_PERIOD = 300
"""Maximum length of a window, in seconds."""
MIN_REMAINING_SECONDS = 3.0
"""A code that is valid for less than this might expire on its way."""
MAX_STEPS_AHEAD = 4
"""How many windows ahead of now may be reserved by commands that wait for theirs."""

SCHEME = "otpauth://"

_SEPARATOR = re.compile(r"[\s-]+")


def is_uri(text: str) -> bool:
    """Return whether a text is an otpauth URI."""
    return text.strip().lower().startswith(SCHEME)


@dataclass(frozen=True, slots=True)
class OneTimePassword:
    """The parameters of a site's one-time passwords. `period` is the length of a window, in seconds."""

    key: bytes = field(repr=False)
    algorithm: Algorithm = "sha1"
    digits: int = 6
    period: int = 30
    label: str = ""

    def code(self, step: int) -> str:
        """Return the code of a window, which begins `step * period` seconds after the epoch."""
        mac = hmac.digest(self.key, step.to_bytes(8, "big"), self.algorithm)
        offset = mac[-1] & 0xF
        number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFF_FFFF
        return str(number % 10**self.digits).zfill(self.digits)

    @property
    def uri(self) -> str:
        """The otpauth URI, with all parameters."""
        secret = base64.b32encode(self.key).decode().rstrip("=")
        parameters = {"secret": secret, "algorithm": self.algorithm.upper()}
        parameters |= {"digits": str(self.digits), "period": str(self.period)}
        return f"{SCHEME}totp/{quote(self.label)}?{urlencode(parameters)}"

    @property
    def fingerprint(self) -> str:
        """Identifies the key: the codes of two secrets with one fingerprint are equal."""
        return hashlib.sha256(b"oryn totp" + self.uri.partition("?")[2].encode()).hexdigest()[:24]

    def __str__(self) -> str:
        return f"totp, {self.algorithm}, {self.digits} digits, {self.period} s"


def parse_one_time_password(
    text: str, *, algorithm: Algorithm = "sha1", digits: int = 6, period: int = 30
) -> OneTimePassword:
    """Parse an otpauth URI, or a key in base32, for which the other arguments are its parameters.

    Raises `InvalidValue`, whose message contains nothing of the text."""
    text = text.strip()
    if not text.lower().startswith("otpauth"):
        return _checked(OneTimePassword(_key(text), algorithm, digits, period))
    if text.lower().startswith("otpauth-migration:"):
        raise _invalid("it is an export of several accounts", "Show the QR code of one account, or give its key.")
    try:
        parts = urlsplit(text)
        parameters = {name.lower(): value for name, value in parse_qsl(parts.query, keep_blank_values=True)}
    except ValueError:
        raise _invalid("the otpauth URI is not a valid URI") from None
    if parts.netloc.lower() != "totp":
        raise _invalid(
            "only time-based codes (otpauth://totp/) are supported", "Codes that count (hotp) are not supported."
        )
    name = parameters.get("algorithm", "SHA1").lower().replace("-", "").removeprefix("hmac")
    if name not in ALGORITHMS:
        raise _invalid("the otpauth URI has an unknown algorithm", "SHA1, SHA256 and SHA512 are supported.")
    try:
        numbers = int(parameters.get("digits", "6")), int(parameters.get("period", "30"))
    except ValueError:
        raise _invalid("digits and period of the otpauth URI must be numbers") from None
    return _checked(OneTimePassword(_key(parameters.get("secret", "")), name, *numbers, unquote(parts.path[1:])))


def _key(text: str) -> bytes:
    """Decode base32, as sites write it: in groups, in small letters, without padding."""
    letters = _SEPARATOR.sub("", text).rstrip("=").upper()
    if not letters:
        raise _invalid("it has no key")
    try:
        return base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        wrong = re.search(r"[^A-Z2-7]", letters)
        what = "it has characters other than A-Z and 2-7" if wrong else "it is cut off"
        raise _invalid(f"the key is not base32: {what}") from None


def _checked(found: OneTimePassword) -> OneTimePassword:
    if len(found.key) < MIN_KEY_BYTES:
        raise _invalid(f"the key has {len(found.key) * 8} bits, and must have {MIN_KEY_BYTES * 8}: it is cut off")
    if not MIN_DIGITS <= found.digits <= MAX_DIGITS:
        raise _invalid(f"a code has {MIN_DIGITS} to {MAX_DIGITS} digits")
    if not 1 <= found.period <= MAX_PERIOD:
        raise _invalid(f"a period has 1 to {MAX_PERIOD} seconds")
    return found


def _invalid(what: str, hint: str = "Copy the otpauth URI, or the key, of the site once more.") -> InvalidValue:
    return InvalidValue(f"not a key for one-time passwords: {what}", hint)


def choose_step(now: float, period: int, used: int | None) -> int:
    """Return the window whose code may be used next: the current one if it lasts long enough, and is later than `used`,
    the last one that was.

    now: Unix time. `used` is ignored if it is further ahead than reservations go: the clock was wrong then."""
    step = int(now // period)
    if used is not None and used > step + MAX_STEPS_AHEAD + 1:
        used = None
    if (step + 1) * period - now < min(MIN_REMAINING_SECONDS, period / 2):
        step += 1
    return step if used is None else max(step, used + 1)
