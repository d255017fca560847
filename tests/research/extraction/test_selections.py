"""Whole selections of a page: which candidates there are, and that the model's order decides among them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from lxml.html import HtmlElement

from benchmarks.extraction_scores import page_f1, score
from oryn.research.extraction.content import best_selection, candidates_for
from oryn.research.extraction.content_model import content_model
from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.features import PageFeatures
from oryn.research.extraction.kind import KINDS
from oryn.research.extraction.layout import Floats, PageLayout
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.selections import QUOTAS, PageSelections
from oryn.research.extraction.votes import candidates_of, votes_of
from oryn.research.html.tree import parse_html

STORY = [f"The ice of the harbour was {at} centimetres thick on that day, and nobody skated." for at in range(12)]
CARDS = [f"Boat {at}: four berths, a stove, and a mast of ash for three days of the week." for at in range(6)]
PAGE = (
    "<title>Harbour freezes over</title><body><nav><a href='/'>Home</a> <a href='/ice'>Ice</a></nav>"
    "<main><h1>Harbour freezes over</h1><div class=story>"
    + "".join(f"<p>{line}</p>" for line in STORY)
    + "</div></main><section>"
    + "".join(f"<div class=card>{line}</div>" for line in CARDS)
    + "</section></body>"
)


class OpenedPage:
    """A page with its features, and a probability for the segments of the story and one for all others."""

    def __init__(self, html: str, story: float = 0.9, others: float = 0.1) -> None:
        tree = parse_html(html)
        assert isinstance(tree, HtmlElement)
        page = PageSegments(tree)
        self.texts = [segment.text for segment in page.segments]
        self.layout = PageLayout(page, tree)
        features = PageFeatures(self.layout, votes_of(page, candidates_of(tree, Declarations(tree), page)))
        self.values = features.values
        self.columns = {name: at for at, name in enumerate(features.names)}
        self.probabilities: Floats = np.array(
            [story if text in STORY else others for text in self.texts], dtype=np.float32
        )

    def selections(self, kind: str = "article") -> PageSelections:
        return candidates_for(self.layout, self.values, self.columns, self.probabilities, kinds_of(kind))

    def chosen(self, mask: np.ndarray) -> list[str]:
        return [text for text, keep in zip(self.texts, mask, strict=True) if keep]


def kinds_of(kind: str) -> Floats:
    return np.array([each == kind for each in KINDS], dtype=np.float32)


@pytest.fixture(scope="module")
def page() -> OpenedPage:
    return OpenedPage(PAGE)


def test_the_first_candidate_is_the_choice_segment_by_segment(page: OpenedPage) -> None:
    selections = page.selections()
    assert page.chosen(selections.masks[0]) == STORY
    assert (selections.masks[0] == selections.first).all()


def test_candidates_differ_and_none_is_empty(page: OpenedPage) -> None:
    masks = page.selections().masks
    assert len(np.unique(masks, axis=0)) == len(masks)
    assert masks.any(axis=1).all()
    assert len(page.selections().features) == len(masks)


def test_a_region_comes_to_the_first_choice_goes_from_it_and_stands_alone(page: OpenedPage) -> None:
    found = [page.chosen(mask) for mask in page.selections().masks]
    assert STORY + CARDS in found
    assert CARDS in found
    everything = np.ones(len(page.texts), dtype=bool)
    cut = PageSelections(
        page.layout, page.values, page.columns, page.probabilities, kinds_of("service"), everything, ~everything
    )
    without = [text for text in page.texts if text not in CARDS]
    assert without in [page.chosen(mask) for mask in cut.masks]


def test_no_candidate_of_an_article_has_the_headline_and_those_of_other_kinds_may(page: OpenedPage) -> None:
    headline = page.texts.index("Harbour freezes over")
    assert not page.selections("article").masks[:, headline].any()
    assert page.selections("service").masks[:, headline].any()


def test_changes_by_regions_are_bounded_however_many_regions_there_are() -> None:
    nested = "".join(f"<div><p>{line}</p>" for line in STORY * 8) + "</div>" * 96
    many = OpenedPage(f"<body>{nested}</body>")
    assert len(many.selections().masks) <= 1 + 14 + 12 + 2 + sum(QUOTAS.values())


def test_the_largest_number_of_the_order_decides(page: OpenedPage) -> None:
    masks = page.selections().masks
    for wanted in (0, len(masks) - 1):
        kept = best_selection(
            page.layout, page.values, page.columns, page.probabilities, kinds_of("article"),
            lambda features, wanted=wanted: -np.abs(np.arange(len(features), dtype=np.float32) - wanted),
        )  # fmt: skip
        assert (kept == masks[wanted]).all()


def test_a_candidate_of_next_to_no_text_never_wins() -> None:
    page = OpenedPage(PAGE.replace("</section>", "</section><footer><p>Harbour office</p></footer>"))
    page.probabilities[page.texts.index("Harbour office")] = 0.99
    masks = page.selections().masks
    tiny = [page.chosen(mask) == ["Harbour office"] for mask in masks]
    assert any(tiny)
    kept = best_selection(
        page.layout, page.values, page.columns, page.probabilities, kinds_of("article"),
        lambda features: np.array(tiny, dtype=np.float32),
    )  # fmt: skip
    assert page.chosen(kept) != ["Harbour office"]


def test_a_tiny_page_has_one_candidate() -> None:
    tiny = OpenedPage("<body><nav><a href='/'>Home</a></nav><p>Closed for the winter.</p></body>")
    assert len(tiny.selections().masks) == 1


def test_the_shipped_order_takes_features_of_this_shape(page: OpenedPage) -> None:
    features = page.selections().features
    worth = content_model().order(features)
    assert worth.shape == (len(features),)
    assert np.isfinite(worth).all()


def test_scores_of_choices_are_those_of_the_benchmark() -> None:
    pytest.importorskip("lightgbm")
    from scripts.content_model.ranking import f1_of_masks

    chance = random.Random(3)
    texts = [
        " ".join(chance.choices(["ice", "pier", "boat", "mast", "Tide"], k=chance.randrange(9))) for _ in range(12)
    ]
    marked = "\n".join(texts[2:9]) + " and more"
    masks = np.array([[chance.random() < 0.5 for _ in texts] for _ in range(20)] + [[False] * 12, [True] * 12])
    expected = [page_f1(*score(marked, "\n".join(text for text, keep in zip(texts, mask, strict=True) if keep)))
                for mask in masks]  # fmt: skip
    assert f1_of_masks(texts, marked, masks) == pytest.approx(expected)
    assert f1_of_masks(["ice"], "ice", np.array([[True], [False]])).tolist() == [1.0, 0.0]
