"""What a snapshot keeps back, whatever is cut off it."""

from __future__ import annotations

from oryn.agent.context import MAX_TEXT_CHARACTERS, PageRedactor, snapshot

URL = "https://shop.example/"
SECRET = "correct-horse"


def redactor() -> PageRedactor:
    return PageRedactor("off", lambda words: words.replace(SECRET, "••••"))


def test_a_value_of_the_vault_that_the_limit_cuts_through_is_kept_back() -> None:
    said = snapshot(URL, [], redactor(), bases={}, page_text=f"Your word: {SECRET}", text_limit=len("Your word: corr"))
    assert said.count("••••") == 1
    assert "corr" not in said


def test_secret_prefix_is_masked_at_the_text_limit() -> None:
    long = "x" * (MAX_TEXT_CHARACTERS - 4) + SECRET
    assert (
        redactor().value(long)
        == redactor().text(long)
        == redactor().body(long)
        == "x" * (MAX_TEXT_CHARACTERS - 4) + "••••"
    )


def test_page_text_is_left_out_without_a_text_limit() -> None:
    assert "Page Text" not in snapshot(URL, [], redactor(), bases={}, page_text="Welcome", text_limit=0)
