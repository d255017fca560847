"""Pages as training samples: the features of their segments, and which of these are content by the marks."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement

from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.features import PageFeatures
from oryn.research.extraction.kind import kind_features
from oryn.research.extraction.layout import Floats, PageLayout
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.votes import SHINGLE, candidates_of, votes_of, words_of
from oryn.research.html.permalinks import remove_permalinks
from oryn.research.html.tree import parse_html
from scripts.content_model.collections import WITHOUT_HEADLINE, MarkedPage, fold_of
from scripts.content_model.variants import COMMENTED, SHORTENED, UNNAMED, shorten, with_comments, without_names

MAX_SEGMENTS = 6_000
MIN_COMMENT_CHARACTERS = 40
MIN_PARAGRAPHS = 3
NEAR_WORDS = 60
"""A short segment is content if the main text has it within so many words of where its neighbours are."""


@dataclass
class PageSample:
    """A page with its features. `content` says for each segment whether it is content: 1, 0, or NaN if no mark says so.
    `layout` arrays are what the second stage needs. `variant` is empty, or says how a copy of a page differs from it
    (`variants.py`)."""

    page: MarkedPage
    variant: str
    texts: list[str]
    values: Floats
    kind_values: Floats
    content: Floats
    own_tokens: list[tuple[int, ...]]
    text_tokens: list[tuple[int, ...]]
    layout: PageLayout
    names: list[str]


VARIANTS = 3
"""Of every third page there is a copy without its class names; of the other articles, one with comments or a shorter
one."""


class _Job(NamedTuple):
    page: MarkedPage
    variant: str
    comments: tuple[str, ...]
    cache: Path | None


def samples_of(pages: Sequence[MarkedPage], cache: Path | None, variants: int = VARIANTS) -> list[PageSample]:
    """The samples of all pages and, unless `variants` is 0, of their variants. With a cache folder each is computed
    once for a state of the code that computes it."""
    posts: dict[int, list[str]] = {}
    for page in pages:
        if page.kind == "forum":
            lines = [line.strip() for line in (page.text or "").splitlines()]
            posts.setdefault(fold_of(page), []).extend(line for line in lines if len(line) >= MIN_COMMENT_CHARACTERS)
    jobs = []
    for at, page in enumerate(pages):
        jobs.append(_Job(page, "", (), cache))
        if variants and page.text is not None and (variant := _variant_of(page, at % variants)):
            comments = posts.get(fold_of(page), []) if variant != UNNAMED else []
            chance = random.Random(page.name)
            count = min(len(comments), chance.randrange(4, 120))
            jobs.append(_Job(page, variant, tuple(chance.sample(comments, count)), cache))
    with ProcessPoolExecutor(2) as pool:
        return [sample for sample in pool.map(_sample, jobs, chunksize=8) if sample is not None]


def _variant_of(page: MarkedPage, number: int) -> str:
    """The variant that there is of a page. Comments are taken from pages of the same part: no model has seen them."""
    if number == 0:
        return UNNAMED
    if page.kind != "article" and page.collection != "public":
        return ""
    return COMMENTED if number == 1 else SHORTENED


def _sample(job: _Job) -> PageSample | None:
    page, variant, comments, cache = job
    key = f"{page.name} {variant} {comments} {code_state()}"
    file = cache / f"{sha256(key.encode()).hexdigest()[:24]}.pickle" if cache else None
    if file is not None and file.is_file():
        kept: PageSample | None = pickle.loads(file.read_bytes())
        return kept
    sample = sample_of(page, variant, comments)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(sample))
    return sample


def code_state() -> str:
    """A digest of the code that the features depend on."""
    folder = Path(__file__).parents[2] / "src" / "oryn" / "research"
    names = ["segments", "layout", "features", "votes", "kind", "declarations", "mathematics"]
    files = [*(f"extraction/{name}.py" for name in names), "fetching/html_tree.py", "json_ld.py", "permalinks.py"]
    return sha256(b"".join((folder / name).read_bytes() for name in files)).hexdigest()


def sample_of(page: MarkedPage, variant: str = "", comments: Sequence[str] = ()) -> PageSample | None:
    """The sample of a page, or of a variant of it, with these comments; None if it has no text."""
    tree = parse_html(page.html())
    if tree is None:
        return None
    remove_permalinks(tree)
    if variant in (COMMENTED, SHORTENED):
        text = _change(tree, page, variant, comments)
        if text is None:
            return None
        page = replace(page, text=text)
    elif variant == UNNAMED:
        without_names(tree)
    segments = PageSegments(tree)
    if not segments.segments or len(segments.segments) > MAX_SEGMENTS:
        return None
    declarations = Declarations(tree)
    layout = PageLayout(segments, tree)
    features = PageFeatures(layout, votes_of(segments, candidates_of(tree, declarations, segments)))
    values = kind_features(tree, features, declarations)
    texts = [segment.text for segment in segments.segments]
    content = labels(texts, page)
    if page.collection not in WITHOUT_HEADLINE:
        content[_headline(segments)] = np.nan
    # Trees can't be pickled, and nothing needs them any more.
    layout.page = None  # type: ignore[assignment]
    return PageSample(
        page,
        variant,
        texts,
        features.values,
        values,
        content,
        layout.tokens,
        layout.text_tokens,
        layout,
        features.names,
    )


def _change(tree: HtmlElement, page: MarkedPage, variant: str, comments: Sequence[str]) -> str | None:
    """Make a tree that of a variant, and return its main text; None if it has no paragraphs of main text."""
    segments = PageSegments(tree)
    if not segments.segments or len(segments.segments) > MAX_SEGMENTS:
        return None
    content = labels([segment.text for segment in segments.segments], page) > 0.5
    chosen = [segment for segment, keep in zip(segments.segments, content, strict=True) if keep]
    elements = [segments.containers[segment.container] for segment in chosen]
    paragraphs = list(dict.fromkeys(each for each in elements if each.tag == "p"))
    chance = random.Random(f"{page.name} {variant}")
    if len(paragraphs) < MIN_PARAGRAPHS:
        return None
    last = paragraphs[-1]
    removed: set[HtmlElement] = set()
    if variant == SHORTENED:
        kept = shorten(paragraphs, chance)
        removed, last = set(paragraphs) - set(kept), kept[-1]
    if comments and (variant == COMMENTED or chance.random() < 0.5):
        with_comments(last.getparent() if last.getparent() is not None else last, comments, chance)
    if chance.random() < 0.3:
        without_names(tree)
    return "\n".join(each.text for each, element in zip(chosen, elements, strict=True) if element not in removed)


def _headline(segments: PageSegments) -> list[int]:
    def within_h1(container: int) -> bool:
        element: HtmlElement | None = segments.containers[container]
        return element is not None and (element.tag == "h1" or any(True for _ in element.iterancestors("h1")))

    return [at for at, segment in enumerate(segments.segments) if within_h1(segment.container)]


def labels(texts: Sequence[str], page: MarkedPage) -> Floats:
    """Which segments are content."""
    words = [words_of(text) for text in texts]
    if page.text is not None and not page.text.strip():
        # What a reader sees comes from scripts, and is not in the HTML: nothing was marked in it.
        return np.full(len(texts), np.nan, dtype=np.float32)
    if page.text is not None:
        return content_labels(words, words_of(page.text))
    return snippet_labels(words, page.inside, page.outside)


def content_labels(segments: Sequence[Sequence[str]], marked: Sequence[str]) -> Floats:
    """1 for segments that the main text contains: longer ones if it has most of their sequences of words, short ones if
    it has them where it has their neighbours."""
    text = f" {' '.join(marked)} "
    starts = {" ".join(each): at for at, each in reversed(list(enumerate(_shingles(marked))))}
    counts = Counter(" ".join(each) for each in _shingles(marked))
    result = np.zeros(len(segments), dtype=np.float32)
    places: list[tuple[int, int]] = []
    for at, words in enumerate(segments):
        if len(words) < SHINGLE:
            continue
        own = [" ".join(each) for each in _shingles(words)]
        share = sum(each in counts for each in own) / len(own)
        if share >= 0.5:
            result[at] = 1
            places.append((at, next(starts[each] for each in own if each in starts)))
    _label_short(segments, marked, result, dict(places))
    _label_repeated(segments, text, result)
    return result


def _label_short(
    segments: Sequence[Sequence[str]], marked: Sequence[str], result: Floats, places: dict[int, int]
) -> None:
    located = sorted(places)
    if not marked:
        return
    for at, words in enumerate(segments):
        if not 0 < len(words) < SHINGLE:
            continue
        position = int(np.searchsorted(located, at))
        before = located[position - 1] if position else None
        after = located[position] if position < len(located) else None
        windows = []
        if before is not None and at - before <= 12:
            end = places[before] + len(segments[before])
            windows.append((end, end + NEAR_WORDS // 2 + sum(map(len, segments[before + 1 : at + 1]))))
        if after is not None and after - at <= 12:
            windows.append((places[after] - NEAR_WORDS // 2 - sum(map(len, segments[at:after])), places[after]))
        if not located:
            windows.append((0, len(marked)))
        looked_for = f" {' '.join(words)} "
        if any(looked_for in f" {' '.join(marked[max(0, low) : max(0, high)])} " for low, high in windows):
            result[at] = 1


def _label_repeated(segments: Sequence[Sequence[str]], text: str, result: Floats) -> None:
    """Of segments that say the same more often than the main text does, those among other content are content."""
    by_words: dict[str, list[int]] = {}
    for at, words in enumerate(segments):
        if result[at] and words:
            by_words.setdefault(" ".join(words), []).append(at)
    for said, places in by_words.items():
        limit = text.count(f" {said} ")
        if len(places) <= max(1, limit):
            continue
        around = {at: float(result[max(0, at - 4) : at + 5].mean()) for at in places}
        for at in sorted(places, key=lambda each: -around[each])[max(1, limit) :]:
            result[at] = 0


def snippet_labels(segments: Sequence[Sequence[str]], inside: Sequence[str], outside: Sequence[str]) -> Floats:
    """1 for segments that a snippet of the main text is in, 0 for those with one that must not be, NaN for others."""
    result = np.full(len(segments), np.nan, dtype=np.float32)
    lines = [f" {' '.join(words)} " for words in segments]
    for snippets, value in ((inside, 1.0), (outside, 0.0)):
        for snippet in snippets:
            words = words_of(snippet)
            looked_for = f" {' '.join(words)} "
            for at, line in enumerate(lines):
                if looked_for in line or (len(line) > 20 and line in looked_for):
                    result[at] = value
    return result


def _shingles(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(SHINGLE)), strict=False)


def sites_of(samples: Sequence[PageSample]) -> list[str]:
    """The sites of samples, each once, in order."""
    return [site for site, _ in groupby(sorted({sample.page.site for sample in samples}))]
