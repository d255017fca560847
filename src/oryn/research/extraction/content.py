"""Selects the main content of a page: the model gives each segment a probability, and those are chosen first by which
the expected F1 of the page's words is the largest. The model then takes this choice or another whole selection
(`selections.py`). Tables of data are kept or left out as a whole, and code between what is kept is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from oryn.research.extraction.article_data import article_data
from oryn.research.extraction.blocks import Block, TextRun
from oryn.research.extraction.content_model import ContentModel, content_model
from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.features import PageFeatures
from oryn.research.extraction.kind import KINDS, empty_kind, kind_features
from oryn.research.extraction.layout import MEASURES, MIN_PROSE_CHARACTERS, Floats, PageLayout
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.selections import FRAME, PageSelections
from oryn.research.extraction.stages import chosen_by_expected_f1
from oryn.research.extraction.structure import StructureReader
from oryn.research.extraction.votes import candidates_of, votes_of

MAX_SEGMENTS = 12_000
"""A page with more segments is not analysed, but used completely: it would take seconds, and is a table or a log."""

MIN_CHARACTERS = 40
"""A choice of fewer characters is none, if the page has more."""

TINY_CHARACTERS = 700
"""A page with fewer characters is used completely, but for its frame: there is little to decide by."""

MIN_TITLE_SHARE = 0.6
"""A headline that shares so many of its words with the title is left out of an article's text."""

_WITHOUT_HEADLINE = ("article", "documentation")
ARTICLE_LIMITS = (0.4, 0.6)
OTHER_LIMITS = (0.2, 0.7)
"""The threshold of the probability is between these. Lists and shops are less certain than articles."""

_WORDS = MEASURES.index("words")
_CHARACTERS = MEASURES.index("characters")
_TITLE = MEASURES.index("title")


class PageContent(NamedTuple):
    """What was chosen. `kind` is the page's (`kind.KINDS`, `search`, `login`, `error`, `consent`; empty if it was not
    analysed), `confidence` the probability of that kind, `share` the share of the page's prose that was kept, `data`
    what `article_data` found, `why` says why the page was not analysed."""

    blocks: list[Block]
    kind: str = ""
    confidence: float = 0.0
    share: float = 1.0
    data: dict[str, Any] = {}  # noqa: RUF012
    why: str = ""


def content_of(tree: HtmlElement, base: str = "") -> PageContent:
    """The main content, in the order of the page. `base` is what addresses of images are relative to."""
    page = PageSegments(tree)
    declarations = Declarations(tree)
    if not page.segments:
        return PageContent(_description(declarations))
    reader = StructureReader(page, base)
    if len(page.segments) > MAX_SEGMENTS:
        why = f"all text of its {len(page.segments):,} segments, more than are analysed"
        return PageContent(reader.blocks(np.ones(len(page.segments), dtype=bool)), why=why)
    layout = PageLayout(page, tree)
    features = PageFeatures(layout, votes_of(page, candidates_of(tree, declarations, page)))
    kind_values = kind_features(tree, features, declarations)
    kinds, chosen = selected_by(content_model(), layout, features.values, features.names, kind_values)
    best = int(kinds.argmax())
    selected = whole_elements(reader, page, chosen)
    text = "\n".join(segment.text for segment, keep in zip(page.segments, selected, strict=True) if keep)
    empty = empty_kind(tree, features, text)
    return PageContent(
        reader.blocks(selected) or _description(declarations),
        empty or KINDS[best],
        1.0 if empty else round(float(kinds[best]), 2),
        round(_prose_share(layout, selected), 2),
        {} if empty else article_data(KINDS[best], declarations, page, selected),
    )


def selected_by(
    model: ContentModel, layout: PageLayout, values: Floats, names: Sequence[str], kind_values: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The probabilities of the kinds of a page, and which of its segments are content, by a model. `values` are the
    features of the segments, which `names` names."""
    kinds = model.kinds(kind_values, layout)
    probabilities = model.probabilities(values, layout, kinds)
    columns = {name: at for at, name in enumerate(names)}
    return kinds, best_selection(layout, values, columns, probabilities, kinds, model.order)


def best_selection(
    layout: PageLayout,
    values: Floats,
    columns: Mapping[str, int],
    probabilities: Floats,
    kinds: Floats,
    order: Callable[[Floats], Floats],
) -> npt.NDArray[np.bool_]:
    """The segments to keep: of the candidates of a page, the one that `order` gives the largest number. The other
    parameters are those of `PageSelections`."""
    selections = candidates_for(layout, values, columns, probabilities, kinds)
    if len(selections.masks) < 2:
        return selections.first
    worth = order(selections.features).astype(np.float64)
    worth[selections.masks @ layout.measures[:, _CHARACTERS] < MIN_CHARACTERS] = -np.inf
    best: npt.NDArray[np.bool_] = selections.masks[int(worth.argmax())]
    return best


def candidates_for(
    layout: PageLayout, values: Floats, columns: Mapping[str, int], probabilities: Floats, kinds: Floats
) -> PageSelections:
    """The candidates of a page; a tiny page has no more than the first choice."""
    kind = KINDS[int(kinds.argmax())]
    first = chosen_segments(layout, probabilities, kind)
    tiny = float(layout.measures[:, _CHARACTERS].sum()) < TINY_CHARACTERS
    dropped = _headline(layout) if kind in _WITHOUT_HEADLINE else np.zeros(len(first), dtype=bool)
    return PageSelections(layout, values, columns, probabilities, kinds, first, dropped, alone=tiny)


def _headline(layout: PageLayout) -> npt.NDArray[np.bool_]:
    """The segments of the headline, which the title has."""
    found: npt.NDArray[np.bool_] = layout.has("h1")[layout.own] & (layout.measures[:, _TITLE] > MIN_TITLE_SHARE)
    return found


def chosen_segments(layout: PageLayout, probabilities: Floats, kind: str) -> npt.NDArray[np.bool_]:
    """The first choice of the segments of a page of a kind. If they are next to nothing, or the page is tiny, all that
    is not of the page's frame, or all there is."""
    characters = layout.measures[:, _CHARACTERS]
    limits = ARTICLE_LIMITS if kind == "article" else OTHER_LIMITS
    selected = chosen_by_expected_f1(probabilities, layout.measures[:, _WORDS], limits)
    headline = _headline(layout)
    if kind in _WITHOUT_HEADLINE:
        selected &= ~headline
    total = float(characters.sum())
    if total >= TINY_CHARACTERS and characters[selected].sum() >= min(MIN_CHARACTERS, total):
        return selected
    unframed: npt.NDArray[np.bool_] = ~layout.has(*FRAME)[layout.own] | selected
    for choice in (unframed & ~headline, unframed):
        if choice.any():
            return choice
    return np.ones(len(characters), dtype=bool)


def whole_elements(
    reader: StructureReader, page: PageSegments, selected: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """The choice with each table of data whole, if most of its text was chosen or it is within text that was, or not
    at all; and with code that stands between what was chosen. Cells and lines of code have few words to be known by."""
    result = selected.copy()
    for at, element in enumerate(page.containers):
        span = slice(page.begins[at], page.ends[at])
        if element.tag not in ("table", "pre") or span.start == span.stop or selected[span].all():
            continue
        if element.tag == "pre":
            result[span] |= _is_between(selected, span)
        elif reader.is_data_table(element):
            sizes = np.array([len(segment.text) for segment in page.segments[span]])
            most = float((selected[span] * sizes).sum()) > 0.5 * float(sizes.sum())
            result[span] = most or (_is_between(selected, span) and _has_both_sides(page, at))
    return result


def _is_between(selected: npt.NDArray[np.bool_], span: slice) -> bool:
    """Whether the segments before and after a span are kept."""
    return bool(span.start > 0 and span.stop < len(selected) and selected[span.start - 1] and selected[span.stop])


def _has_both_sides(page: PageSegments, at: int) -> bool:
    """Whether the element around a container and its wrappers has text before it and after it: it stands between
    paragraphs, and not between the parts of the page."""
    begin, end = page.begins[at], page.ends[at]
    while at and page.begins[at] == begin and page.ends[at] == end:
        at = page.parents[at]
    return page.begins[at] < begin and page.ends[at] > end


def _prose_share(layout: PageLayout, selected: npt.NDArray[np.bool_]) -> float:
    """The share of the page's prose that was kept; of all its text if it has no prose."""
    prose = layout.measures[:, MEASURES.index("prose")]
    sizes = prose if prose.sum() >= MIN_PROSE_CHARACTERS else layout.measures[:, _CHARACTERS]
    return float(sizes[selected].sum() / max(1.0, float(sizes.sum())))


def _description(declarations: Declarations) -> list[Block]:
    """What a page without text says about itself for programs."""
    texts = list(dict.fromkeys(declarations.texts()))
    if not texts:
        names = ("og:description", "description", "twitter:description")
        texts = [text for name in names if (text := declarations.meta.get(name, "").strip())][:1]
    return [Block("paragraph", (TextRun(" ".join(text.split())),)) for text in texts if text.strip()]
