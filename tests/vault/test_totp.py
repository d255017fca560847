"""One-time passwords: RFC 6238's vectors, URIs and keys as sites give them, and the choice of the window."""

from __future__ import annotations

import random

import pyotp
import pytest

from oryn.errors import InvalidValue
from oryn.vault.totp import ALGORITHMS, MAX_STEPS_AHEAD, OneTimePassword, choose_step, parse_one_time_password

VECTORS = {
    59: ("94287082", "46119246", "90693936"),
    1111111109: ("07081804", "68084774", "25091201"),
    1111111111: ("14050471", "67062674", "99943326"),
    1234567890: ("89005924", "91819424", "93441116"),
    2000000000: ("69279037", "90698825", "38618901"),
    20000000000: ("65353130", "77737706", "47863826"),
}
"""RFC 6238, appendix B, with its errata: the codes of SHA-1, SHA-256 and SHA-512 at a time."""
LENGTHS = {"sha1": 20, "sha256": 32, "sha512": 64}
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.mark.parametrize("time", VECTORS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_vectors_of_the_standard(time: int, algorithm: str) -> None:
    key = (b"1234567890" * 7)[: LENGTHS[algorithm]]
    password = OneTimePassword(key, algorithm, 8)  # type: ignore[arg-type]
    assert password.code(time // 30) == VECTORS[time][ALGORITHMS.index(algorithm)]  # type: ignore[arg-type]


def test_codes_are_those_of_another_implementation() -> None:
    chance = random.Random(46)
    for _ in range(300):
        key = chance.randbytes(chance.randint(14, 64))
        algorithm, digits, period = chance.choice(ALGORITHMS), chance.randint(6, 8), chance.choice((15, 30, 60))
        step = chance.randint(0, 2**31)
        ours = OneTimePassword(key, algorithm, digits, period)
        assert pyotp.parse_uri(ours.uri).at(step * period) == ours.code(step)
        assert parse_one_time_password(ours.uri) == ours


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KEY, (20, "sha1", 6, 30)),
        ("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", (20, "sha1", 6, 30)),
        ("GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ\n", (20, "sha1", 6, 30)),
        (f"otpauth://totp/Shop:ann%40example.org?secret={KEY}&issuer=Shop", (20, "sha1", 6, 30)),
        (f"otpauth://totp/x?secret={KEY.lower()}&algorithm=SHA256&digits=8&period=60", (20, "sha256", 8, 60)),
        (f"OTPAUTH://TOTP/x?SECRET={KEY}&algorithm=HmacSHA512", (20, "sha512", 6, 30)),
        (f"otpauth://totp/?secret={KEY}====", (20, "sha1", 6, 30)),
    ],
)
def test_keys_as_sites_give_them(text: str, expected: tuple[int, str, int, int]) -> None:
    found = parse_one_time_password(text)
    assert (len(found.key), found.algorithm, found.digits, found.period) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "it has no key"),
        ("GEZDGNBV1", "characters other than A-Z and 2-7"),
        ("GEZDGNBV", "has 40 bits, and must have 80"),
        (f"{KEY}A", "it is cut off"),
        (f"otpauth://hotp/x?secret={KEY}&counter=1", "only time-based codes"),
        ("otpauth-migration://offline?data=abc", "an export of several accounts"),
        (f"otpauth://totp/x?secret={KEY}&algorithm=MD5", "unknown algorithm"),
        (f"otpauth://totp/x?secret={KEY}&digits=five", "must be numbers"),
        (f"otpauth://totp/x?secret={KEY}&digits=5", "6 to 8 digits"),
        (f"otpauth://totp/x?secret={KEY}&period=0", "1 to 300 seconds"),
        ("otpauth://totp/x", "it has no key"),
        ("otpauth://[totp/x", "not a valid URI"),
    ],
)
def test_a_wrong_key_is_refused_without_showing_it(text: str, what: str) -> None:
    with pytest.raises(InvalidValue, match=what) as caught:
        parse_one_time_password(text)
    assert not any(part in str(caught.value) for part in ("GEZD", "abc"))


@pytest.mark.parametrize(
    ("now", "used", "step"),
    [
        (300.0, None, 10),
        (326.9, None, 10),
        (327.1, None, 11),  # it is valid for less than three seconds
        (300.0, 10, 11),
        (300.0, 11, 12),
        (300.0, 9, 10),
        (327.1, 10, 11),
        (300.0, 10 + MAX_STEPS_AHEAD + 2, 10),  # the clock was wrong when that was used
    ],
)
def test_choice_of_the_window(now: float, used: int | None, step: int) -> None:
    assert choose_step(now, 30, used) == step


def test_a_key_is_not_part_of_what_is_printed() -> None:
    found = parse_one_time_password(KEY)
    assert "1234567890" not in repr(found) and str(found) == "totp, sha1, 6 digits, 30 s"
    assert KEY not in found.fingerprint
