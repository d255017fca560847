"""How articles are cut into passages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oryn.research.documents import Article, Passage
from oryn.research.embedding import Embedder
from oryn.research.passages.splitter import passages


def by_words(text: str) -> int:
    """A count of tokens that is easily told: the words, and two marks."""
    return len(text.split()) + 2


def by_characters(text: str) -> int:
    return len(text) + 2


def article(text: str, markdown: str = "") -> Article:
    return Article(url="https://a.example/", title="Title", text=text, markdown=markdown, date="2026-11-22")


def sentence(words: int, name: str = "w") -> str:
    return " ".join(f"{name}{number}" for number in range(words - 1)).capitalize() + " end."


def cut(text: str, words: int, markdown: str = "", limit: int = 256) -> list[str]:
    return [each.text for each in passages(article(text, markdown), words=words, count=by_words, limit=limit)]


def check(made: list[Passage], text: str) -> None:
    """Offsets are exact, in order, and together all of the text but white space."""
    at = 0
    for number, each in enumerate(made):
        assert each.number == number
        assert each.text == text[each.begin : each.end] == each.text.strip() != ""
        assert not text[at : each.begin].strip()
        assert each.begin >= at
        at = each.end
    assert not text[at:].strip()


def test_a_short_article_is_one_passage() -> None:
    (only,) = passages(article("One line.\nTwo lines.\n"), count=by_words)
    assert only == Passage(
        id=only.id,
        url="https://a.example/",
        title="Title",
        text="One line.\nTwo lines.",
        number=0,
        begin=0,
        end=20,
        date="2026-11-22",
    )


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_no_text_is_no_passage(text: str) -> None:
    assert passages(article(text), count=by_words) == []


def test_paragraphs_stay_whole_where_they_fill_a_passage() -> None:
    first, second, third = (f"{sentence(40, name)} {sentence(40, name)}" for name in "abc")
    assert cut("\n".join((first, second, third)), 100) == [first, second, third]
    assert cut("\n".join((first, second, third)), 170) == [f"{first}\n{second}", third]


def test_a_long_paragraph_is_cut_at_a_sentence() -> None:
    several = [sentence(30, name) for name in "abcdef"]
    assert cut(" ".join(several), 100) == [" ".join(several[:3]), " ".join(several[3:])]


def test_a_small_remainder_is_joined_or_shared_out() -> None:
    long, small = sentence(80), "The end."
    assert cut(f"{long}\n{small}", 100) == [f"{long}\n{small}"]
    several = [sentence(24, name) for name in "abcd"]
    shared = cut(" ".join(several) + "\n" + sentence(6, "z"), 100)
    assert [len(each.split()) for each in shared] == [48, 54]


def test_a_heading_goes_with_what_follows() -> None:
    first, second = f"{sentence(40, 'a')} {sentence(40, 'a')}", f"{sentence(40, 'b')} {sentence(40, 'b')}"
    markdown = f"{first}\n\n## *The* second\n\n{second}"
    assert cut(f"{first}\nThe second\n{second}", 85, markdown) == [first, f"The second\n{second}"]
    assert cut(f"{first}\nThe second\n{second}", 85)[0] == f"{first}\nThe second"


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    text = sentence(500)
    made = cut(text, 100)
    assert " ".join(made) == text
    assert all(len(each.split()) <= 100 for each in made)
    assert len(made) <= 8


def test_a_word_that_is_too_long_is_cut_between_characters() -> None:
    text = "e\u0301" * 500
    made = passages(article(text), count=by_characters, limit=102)
    check(made, text)
    assert all(len(each.text) <= 100 for each in made)
    assert not any(each.text.startswith("\u0301") for each in made)


def test_a_letter_with_marks_without_end_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 3000
    made = passages(article(text), count=by_characters, limit=102)
    check(made, text)
    assert all(len(each.text) <= 100 for each in made)


def test_a_long_list_of_words_is_cut_between_lines() -> None:
    words = [f"word{number}" for number in range(2000)]
    made = cut("\n".join(words), 200)
    assert "\n".join(made).split("\n") == words
    assert all(180 <= len(each.split()) <= 200 for each in made)


def test_a_text_without_spaces_is_cut_at_its_sentences(embedder: Embedder) -> None:
    text = "灯台は一八七一年に初めて点灯された。" * 40
    made = passages(article(text), count=embedder.count, limit=embedder.limit)
    check(made, text)
    assert all(each.text.endswith("。") and embedder.count(each.text) <= 256 for each in made)


def test_pieces_that_have_more_tokens_together_are_parted_again() -> None:
    """A tokenizer may join what touches: here anything without a space costs its length squared."""

    def count(text: str) -> int:
        return 2 + sum(len(word) ** 2 // 8 for word in text.split())

    text = "第一。第二句。第三句話。" * 6
    made = passages(article(text), count=count, limit=40)
    check(made, text)
    assert all(count(each.text) <= 40 for each in made)


def test_ids_are_of_the_url_and_the_text() -> None:
    text = "\n".join([sentence(90), sentence(90, "b"), sentence(90)])
    one, two, again = passages(article(text), words=100, count=by_words)
    assert one.text == again.text
    assert len({one.id, two.id, again.id}) == 3
    assert [each.id for each in passages(article(text), words=100, count=by_words)] == [one.id, two.id, again.id]
    assert passages(article(two.text), count=by_words)[0].id == two.id
    assert passages(article(two.text).replace(url="https://b.example/"), count=by_words)[0].id != two.id


def test_one_character_over_the_limit_stays_whole() -> None:
    made = passages(article("一二"), count=lambda text: 2 + 50 * len(text), limit=40)
    assert [each.text for each in made] == ["一", "二"]


def test_real_prose_fills_what_the_model_reads(embedder: Embedder) -> None:
    text = "\n".join(
        f"The lighthouse of {name} was lit in {year}. Its keeper wrote all storms into a book, now in the museum. "
        f"From its gallery one sees the ferry, the mole and, on clear days, the isles." * 2
        for name, year in zip("ABCDEFGHIJKLMNOP", range(1860, 1876), strict=True)
    )
    made = passages(article(text), count=embedder.count, limit=embedder.limit)
    check(made, text)
    counts = [embedder.count(each.text) for each in made]
    assert max(counts) <= 256
    assert min(counts) > 128


TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(["word ", "Long", "er. ", "\n", "# H\n", "日本。", "e\u0301", "x" * 40, "\u00a0"])).map(
        "".join
    ),
)


@settings(deadline=None, max_examples=150)
@given(TEXTS, st.integers(1, 60), st.integers(3, 64))
def test_limits_hold_and_nothing_is_lost(text: str, words: int, limit: int) -> None:
    made = passages(article(text, text), words=words, count=by_characters, limit=limit)
    check(made, text)
    assert all(len(each.text) + 2 <= limit and len(each.text.split()) <= words for each in made)
    assert len({each.id for each in made}) == len(made)


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.integers(24, 64))
def test_limits_hold_with_the_models_tokens(embedder: Embedder, text: str, limit: int) -> None:
    made = passages(article(text, text), count=embedder.count, limit=limit)
    check(made, text)
    assert all(embedder.count(each.text) <= limit for each in made)
