"""Which segments training takes for content, by the main text or by the snippets that people have marked."""

from __future__ import annotations

import numpy as np
import pytest

from oryn.research.extraction.votes import TextCoverage, words_of
from scripts.content_model.samples import content_labels, snippet_labels

FIRST = "The harbour of Linden Bay froze over on Tuesday"
SECOND = "People walked out on the ice with sledges that day"
OTHER = "Sign up for our newsletter and never miss a tide"


def labels(segments: list[str], text: str) -> list[float]:
    return content_labels([words_of(each) for each in segments], words_of(text)).tolist()


def test_segments_of_the_main_text_are_content() -> None:
    assert labels([OTHER, FIRST, SECOND, OTHER], f"{FIRST}\n{SECOND}") == [0, 1, 1, 0]


def test_most_of_a_long_segment_is_enough() -> None:
    assert labels([f"{FIRST} (updated)", SECOND], f"{FIRST}\n{SECOND}") == [1, 1]


def test_a_short_segment_is_content_if_it_stands_beside_its_neighbours() -> None:
    segments = ["Ice", "Home", FIRST, "Ice", SECOND, *["Menu of links"] * 15, "Ice"]
    assert labels(segments, f"{FIRST}\nIce\n{SECOND}")[2:5] == [1, 1, 1]
    assert labels(segments, f"{FIRST}\nIce\n{SECOND}")[-1] == 0


def test_a_repeated_segment_is_content_among_other_content() -> None:
    teaser = [OTHER, "More of it", "Sport and weather", "Other stories", FIRST, "Imprint of it"]
    assert labels([FIRST, SECOND, *teaser], f"{FIRST}\n{SECOND}") == [1, 1, 0, 0, 0, 0, 0, 0]


def test_snippets_mark_their_segments_alone() -> None:
    found = snippet_labels([words_of(each) for each in (FIRST, SECOND, OTHER)], ["froze over on Tuesday"], [OTHER])
    assert found[0] == 1 and np.isnan(found[1]) and found[2] == 0


@pytest.mark.parametrize(
    ("text", "segments", "shares"),
    [
        ("", ["one two"], [0]),
        ("one two three four five six", ["one two three", "four five six"], [1, 1]),
        ("one two three four five six", ["four five six", "one two"], [1, 0]),
        ("a b c d e f g h", ["a b c d e f x y"], [0.6]),
        ("a b c d", [""], [0]),
    ],
)
def test_the_share_of_a_segment_that_a_text_contains(text: str, segments: list[str], shares: list[float]) -> None:
    assert TextCoverage(text).shares([words_of(each) for each in segments]) == pytest.approx(shares)
