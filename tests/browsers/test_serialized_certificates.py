"""What is read of a certificate as WebKit serializes it."""

from __future__ import annotations

import pytest

from oryn.browsers.webkit.network.certificates import certificate_errors


def serialized(flags: int, *chain: bytes) -> bytes:
    """As WebKit writes it: the number of certificates, each with its length, and the flags of its errors."""
    parts = [len(each).to_bytes(4, "little") + each for each in chain]
    return len(chain).to_bytes(8, "little") + b"".join(parts) + flags.to_bytes(4, "little")


@pytest.mark.parametrize("flags", [0, 1, 1 << 6, 3])
def test_the_flags_are_those_of_the_browser(flags: int) -> None:
    assert certificate_errors(serialized(flags, b"\x30certificate")) == flags
    assert certificate_errors(serialized(flags, b"\x30" * 300, b"\x30issuer")) == flags


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 8, b"\0" * 400, serialized(0), serialized(0, b"no certificate"), serialized(0, b"\x30a") + b"\0", b"\xff" * 40],
)  # fmt: skip
def test_nothing_else_is_taken_for_a_verdict(data: bytes) -> None:
    assert certificate_errors(data) is None
    whole = serialized(0, b"\x30certificate")
    assert all(certificate_errors(whole[:size]) is None for size in range(len(whole)))
