"""What says the same counts once, however it was cut; and who says the same is known."""

from __future__ import annotations

from oryn.research.documents import Passage, RankedPassage
from oryn.research.report.deduplication import copies_in_order, pages_with_sentence, shingles, without_duplicates

REPORT = (
    "The ministry said on Monday that the ferns of the northern forest had recovered. "
    "Wardens counted four thousand plants in the valley, twice as many as three years ago. "
    "A mild winter and the end of logging have helped them, according to the report. "
    "The count will be repeated in spring with volunteers from the nearby towns."
)


def ranked(name: str, text: str, number: int = 0) -> RankedPassage:
    return RankedPassage(Passage(f"{name}{number}", f"https://{name}.example/", name, text, number), 1.0)


def test_a_copy_is_left_out_and_the_next_one_comes_up() -> None:
    other = ranked("c", "Mosses have no roots, and yet they hold on to bare rock for a hundred years or longer.")
    found = [ranked("a", REPORT), ranked("b", REPORT.replace("Monday", "Tuesday")), other]
    assert [each.passage.id for each in without_duplicates(found, 2)] == ["a0", "c0"]


def test_copies_are_in_the_order_of_their_pages_and_the_rest_stays() -> None:
    copies = [ranked(name, REPORT) for name in "bca"]
    found = [copies[0], ranked("d", "Mosses."), copies[1], ranked("e", "Spores."), copies[2]]
    order = {"https://c.example/": 0, "https://a.example/": 1}
    ordered = copies_in_order(found, lambda url: order.get(url, 9))
    assert [each.passage.id for each in ordered] == ["c0", "d0", "a0", "e0", "b0"]


def test_a_copy_that_was_cut_elsewhere_is_one_too() -> None:
    half = len(REPORT) // 2
    found = [ranked("a", REPORT[:half]), ranked("a", REPORT[half:], 1), ranked("b", REPORT[20:-20])]
    assert [each.passage.id for each in without_duplicates(found, 9)] == ["a0", "a1"]


def test_what_quotes_another_and_says_more_is_no_copy() -> None:
    quoting = "Our readers ask: is that so? " * 3 + REPORT[:160] + " We went there ourselves and found fewer than that."
    assert len(without_duplicates([ranked("a", REPORT), ranked("b", quoting)], 9)) == 2


def test_short_passages_are_told_apart() -> None:
    found = [ranked("a", "Spores."), ranked("b", "spores"), ranked("c", "Fronds."), ranked("d", "")]
    assert [each.passage.id for each in without_duplicates(found, 9)] == ["a0", "c0", "d0"]
    assert shingles("Spores") == {("spores",)}


def test_pages_that_say_the_same_are_named_once_each() -> None:
    sentence = "Wardens counted four thousand plants in the valley, twice as many as three years ago."
    found = [
        ranked("a", REPORT).passage,
        ranked("a", f"Again: {sentence}", 1).passage,
        ranked("b", "Wardens counted four thousand plants\nin the valley – twice as many as three years ago!").passage,
        ranked("c", "Wardens counted four thousand plants in the valley.").passage,
    ]
    assert list(pages_with_sentence(sentence, found)) == ["https://a.example/", "https://b.example/"]
    assert list(pages_with_sentence("plant", found)) == []
