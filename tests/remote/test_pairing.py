"""Codes are for five minutes, one use and five tries; proofs are right or wrong."""

from __future__ import annotations

import hashlib
import hmac
import re

import pytest

from oryn.errors import InvalidValue
from oryn.extension_server import pairing
from oryn.extension_server.pairing import PairingKey, PairingOffer, PairingRateLimit

NONCE = "0123456789abcdef" * 2
NOW = 1_000_000.0


def valid_proof(offer: PairingOffer) -> str:
    return pairing.server_proof(offer.code, NONCE)


def test_codes_nonces_and_keys_are_of_their_form_and_new_each_time() -> None:
    codes = {pairing.new_code() for _ in range(100)}
    assert len(codes) == 100
    assert all(re.fullmatch("[A-Z0-9]{6}", code) for code in codes)
    assert re.fullmatch("[0-9a-f]{32}", pairing.new_nonce())
    assert pairing.new_nonce() != pairing.new_nonce()
    key = PairingKey.new()
    assert re.fullmatch("[0-9a-f]{8}", key.id)
    assert re.fullmatch("[0-9a-f]{64}", key.secret)
    assert key.secret != PairingKey.new().secret


@pytest.mark.parametrize("text", ["A7X9K2", "a7x9k2", " a7x 9k2\n", "A7X-9K2"])
def test_a_person_may_write_a_code_in_any_way(text: str) -> None:
    assert pairing.read_code(text) == "A7X9K2"


@pytest.mark.parametrize("text", ["", "A7X9K", "A7X9K22", "A7X9Ä2", "A7X9K٢", "A7X9_2"])
def test_invalid_pairing_code_is_rejected(text: str) -> None:
    with pytest.raises(InvalidValue, match="a pairing code has six letters and digits"):
        pairing.read_code(text)


def test_proofs_are_the_documented_ones_and_differ_by_end() -> None:
    expected = hmac.new(b"A7X9K2", NONCE.encode(), hashlib.sha256).hexdigest()
    assert pairing.server_proof("A7X9K2", NONCE) == expected
    expected = hmac.new(b"A7X9K2", b"extension " + NONCE.encode(), hashlib.sha256).hexdigest()
    assert pairing.extension_proof("A7X9K2", NONCE) == expected


def test_a_proof_matches_itself_alone() -> None:
    proof = pairing.server_proof("A7X9K2", NONCE)
    assert pairing.constant_time_equal(proof, proof)
    assert not any(
        pairing.constant_time_equal(other, proof) for other in (None, "", proof.upper(), proof[:-1], "é\ud800")
    )


def test_a_code_is_for_one_use() -> None:
    offer = PairingOffer.new(NOW)
    assert offer.accepts(valid_proof(offer), NONCE, NOW + 1)
    assert not offer.is_valid(NOW + 1)
    assert not offer.accepts(valid_proof(offer), NONCE, NOW + 1)


def test_a_code_is_for_five_minutes() -> None:
    offer = PairingOffer.new(NOW)
    assert offer.is_valid(NOW + 299)
    assert not offer.is_valid(NOW + 300)
    assert not offer.accepts(valid_proof(offer), NONCE, NOW + 300)


def test_five_wrong_proofs_void_a_code() -> None:
    offer = PairingOffer.new(NOW)
    for tries in (4, 3, 2, 1, 0):
        assert offer.is_valid(NOW)
        assert not offer.accepts("0" * 64, NONCE, NOW)
        assert offer.tries == tries
    assert not offer.is_valid(NOW)
    assert not offer.accepts(valid_proof(offer), NONCE, NOW)


def test_a_proof_of_another_nonce_is_wrong() -> None:
    offer = PairingOffer.new(NOW)
    assert not offer.accepts(pairing.server_proof(offer.code, pairing.new_nonce()), NONCE, NOW)
    assert offer.accepts(valid_proof(offer), NONCE, NOW)


def test_an_offer_outlives_a_restart() -> None:
    offer = PairingOffer.new(NOW)
    offer.accepts(None, NONCE, NOW)
    again = PairingOffer.of(offer.data())
    assert again == offer
    assert again.tries == 4


def test_no_more_than_five_wrong_pairings_a_minute() -> None:
    wrong = PairingRateLimit()
    for second in range(5):
        assert wrong.allows(NOW + second)
        wrong.note(NOW + second)
    assert not wrong.allows(NOW + 59)
    assert wrong.allows(NOW + 60)
    wrong.note(NOW + 60)
    assert not wrong.allows(NOW + 60)
