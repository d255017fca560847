"""An extractive summary: sentences of the passages as they stand there, each traceable to its place.

TextRank (Mihalcea and Tarau 2004, https://aclanthology.org/W04-3252/) with the cosines of sentence vectors for edges,
its walk led to the topic (Otterbacher, Erkan and Radev 2005, https://aclanthology.org/H05-1115/), then what repeats a
chosen sentence is put back (maximal marginal relevance, Carbonell and Goldstein 1998).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from oryn.research.documents import JsonRecord, Passage, TextRow
from oryn.research.text.expected_values import expected_value, sentence_strength
from oryn.research.text.questions import (
    Row,
    answer_strength,
    content_words,
    is_about_another,
    is_question,
    row_of,
    shared_words,
    subject_of,
)
from oryn.research.text.sentences import sentences as spans_of

if TYPE_CHECKING:
    from oryn.research.embedding import Embedder

Numbers = npt.NDArray[np.float64]

DAMPING = 0.5
"""The probability that the walk goes on to a similar sentence, rather than back to the topic."""
NOVELTY_WEIGHT = 0.3
"""The weight of being different from the chosen sentences, against the rank."""
DUPLICATE_COSINE = 0.9
"""From this cosine on, two sentences count as the same."""
POSITION_PENALTY = 0.25
"""The penalty for sentences of the last passage: of two that say the same of different things, the one whose passage
matches better is meant."""
MIN_RELEVANCE = 0.5
"""A sentence with less than this share of the best similarity to the topic is not chosen, so that a narrow question has
a short answer."""
MAX_UNIT_WORDS = 60
"""The maximum number of words of a sentence together with the one that it refers to."""
MIN_ROW_COSINE = 0.15
"""A row whose label does not answer the topic is chosen only if it is as similar to it."""
MIN_ANSWER = 0.5
"""From this strength on (`questions.answer_strength`), a row answers the question."""
ANSWER_WEIGHT = 0.95
"""The weight of a sentence that answers, against a row that does: a row is shorter."""
WEAK_FACTOR = 1.5
"""If no sentence or row answers, the best one counts as if it did, if it is this much too weak."""
MAX_ITEM_WORDS = 20
MAX_SENTENCES = 600
"""The maximum number of candidates; those of the best passages come first."""

_STATEMENT = re.compile(r"""[.!…。！।۔．]["'”’»」』)\]]*(?:\[\d+\])*$""")
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_DEPENDENT_START = re.compile(
    r"(?:and|but|so|or|he|she|it|they|this|that|these|those|his|her|their|its|however|also)\b", re.I
)
_ROW = re.compile(r"\|?\s?[^|:\n]{2,48}\s*+[|:]\s?[^|\n]{1,160}(?:\|[^|\n]{1,161}){0,4}\|?")
"""A row of a table or a property: `Length | 388 m`, `Height: 31 m`. For a question it states something."""
_CLAUSES = re.compile(r"\s*+(?:[^\s|:]++\s++){4,}+[^\s|:]++:[^|]*[.!?]\s*")
"""A sentence of two clauses: `Ferns have neither flowers nor seeds: they reproduce by spores.` It is no row."""
_BOILERPLATE = re.compile(
    r"\b(?:all rights reserved|terms of (?:use|service)|privacy policy|cookie (?:policy|settings)|click here|read more"
    r"|(?:use|uses|accept|our) (?:all )?cookies|sign (?:up|in) (?:for|to)|log in|subscribe to|share (?:this|on)"
    r"|enable javascript|follow us|(?:photo|image|picture)s? (?:by|credit)|getty images|advertisement)\b|©",
    re.I,
)


class Sentence(JsonRecord):
    """A sentence of a passage, with the one before it if it refers to that: `text` is at `begin` to `end` in the text
    of the passage whose id is `passage`. `score` is its rank relative to the best (1); `subject` is what a row is
    about, and `label` what its value is, if the row does not say it. `question` is the number of the question that it
    answers, if there are several."""

    text: str
    passage: str
    begin: int
    end: int
    score: float = 0.0
    subject: str = ""
    question: int = 0
    label: str = ""

    @property
    def words(self) -> str:
        """The sentence, a value with its label, after its subject."""
        return f"{self.subject}: {self.said}" if self.subject else self.said

    @property
    def said(self) -> str:
        """The sentence, a value with its label."""
        return f"{self.label} | {self.text}" if self.label else self.text

    @property
    def row(self) -> Row | None:
        """The parts of a row; None for other sentences."""
        return Row(self.subject, self.label, self.text) if self.label else row_of(self.text)


def summarize(passages: Sequence[Passage], topic: str, *, embedder: Embedder, sentences: int = 6) -> list[Sentence]:
    """At most `sentences` sentences that say most about `topic`, without repetitions. `passages` must have the best
    first. If the topic is a question, those that answer it with a value of the kind that it asks for come first, the
    best first. Then the page with the best sentence comes first; sentences of a page are in the order of the page.
    Deterministic."""
    found = _candidates(passages, topic)
    if not found or sentences < 1:
        return []
    vectors = embedder.embed([*(each.words for each in found), topic]).astype(np.float64)
    alike = vectors[:-1] @ vectors[:-1].T
    near = np.maximum(vectors[:-1] @ vectors[-1], 0) if topic.strip() else np.ones(len(found))
    rank = {passage.id: number for number, passage in reversed(list(enumerate(passages)))}
    near *= 1 - POSITION_PENALTY * np.array([rank[each.passage] for each in found]) / len(passages)
    ranks = _pagerank(alike, near**2)
    titles = {passage.id: passage.title for passage in passages}
    answers = np.array([_answer(topic, each, titles[each.passage]) for each in found])
    if answers.max() < MIN_ANSWER <= answers.max() * WEAK_FACTOR and expected_value(topic) is not None:
        # No sentence has a word for what is asked for, but some have such a value of the thing.
        answers = np.where(answers * near < 0.99 * (answers * near).max(), 0, MIN_ANSWER)
    if answers.max() >= MIN_ANSWER:
        # A row is like few sentences, so that no walk leads there.
        ranks = np.maximum(ranks * MIN_ANSWER, np.where(answers >= MIN_ANSWER, answers * (0.75 + 0.25 * near), 0))
        ranks /= ranks.max()
        near = np.where(answers >= MIN_ANSWER, near.max(), near)
    rows = [index for index, each in enumerate(found) if each.subject and answers[index] < MIN_ANSWER]
    if rows:
        # What a row is about is like the topic in any case; the row itself must be, too.
        bare = embedder.embed([found[index].said for index in rows]).astype(np.float64) @ vectors[-1]
        related = np.array([shared_words(topic, found[index].said) > 0 for index in rows])
        near[rows] = np.where((bare < MIN_ROW_COSINE) | ~related, 0, near[rows])
    chosen = _select_diverse(found, alike, np.where(near < MIN_RELEVANCE * near.max(), -np.inf, ranks), sentences)
    ordered = [found[index].replace(score=round(float(ranks[index]), 6)) for index in chosen]
    answering = [each for index, each in zip(chosen, ordered, strict=True) if answers[index] >= MIN_ANSWER]
    answering.sort(key=lambda each: -each.score)
    return [*answering, *_in_order([each for each in ordered if each not in answering], passages)]


def _candidates(passages: Sequence[Passage], topic: str) -> list[Sentence]:
    """The sentences that state something; if there are none, all that have letters."""
    every: dict[tuple[str, str], Sentence] = {}
    asks = is_question(topic)
    for passage in passages:
        values: Sequence[TextRow] = passage.rows if asks else ()
        for row in values:
            text = passage.text[row.begin : row.end]
            if text and not is_about_another(row.subject or passage.title, topic, text):
                labelled = Sentence(
                    text, passage.id, row.begin, row.end, subject=row.subject or passage.title, label=row.label
                )
                every.setdefault((" ".join(labelled.said.casefold().split()), labelled.subject), labelled)
        for begin, end in _units(passage.text):
            text = passage.text[begin:end]
            if text in (passage.title, *passage.headers) or _is_of_rows(begin, end, values):
                continue
            subject = _row_subject(text, passage.title) if asks and _is_row(text, topic) else ""
            key = " ".join(text.casefold().split()), subject
            if not is_about_another(subject or subject_of(text) or passage.title, topic, text):
                every.setdefault(key, Sentence(text, passage.id, begin, end, subject=subject))
    several = _repeated_names(every.values())
    about_furniture = _BOILERPLATE.search(topic) is not None
    stating = [
        each
        for each in every.values()
        if (
            _states(each.said)
            or each.label
            or (asks and _is_row(each.text, topic) and _name_of(each) not in several)
            or (asks and _is_item(each.text) and sentence_strength(topic, each.text) >= MIN_ANSWER)
        )
        and (about_furniture or len(each.text) >= 300 or not _BOILERPLATE.search(each.text))
    ]
    if asks:
        stating = _without_unlabelled(stating)
    return (stating or [each for each in every.values() if _LETTER.search(each.text)])[:MAX_SENTENCES]


def _is_of_rows(begin: int, end: int, rows: Sequence[TextRow]) -> bool:
    """Whether a unit is the value of a row, or a line of a table of which several values have labels."""
    within = sum(begin <= row.begin and row.end <= end for row in rows)
    return within > 1 or any(row.begin <= begin and end <= row.end for row in rows)


def _without_unlabelled(found: list[Sentence]) -> list[Sentence]:
    """The sentences without rows of a table whose cells are there with their labels: `Heron Bridge | 388 m | 1931` if
    there is `Heron Bridge | Length | 388 m`."""
    labelled = {(row.subject, row.value) for each in found if (row := each.row) is not None and row.subject}

    def is_unlabelled(text: str) -> bool:
        first, *cells = (cell.strip() for cell in text.strip(" |").split("|"))
        return len(cells) > 1 and sum((first, cell) in labelled for cell in cells) > 1

    return [each for each in found if not is_unlabelled(each.text)]


def _row_subject(text: str, title: str) -> str:
    """What a row is about: what it names itself, else the page."""
    row = row_of(text)
    return "" if row is not None and row.subject else title


def _answer(topic: str, sentence: Sentence, title: str) -> float:
    """How well a row or a sentence on a page with a `title` answers the topic; 0 if it is about something that the
    topic does not name, or has no value of the kind that is asked for."""
    if not is_question(topic):
        return 0.0
    if not sentence.label and "|" not in sentence.text and not _is_row(sentence.text, topic):
        return ANSWER_WEIGHT * sentence_strength(topic, sentence.text, title)
    row = sentence.row if (sentence.label or _is_row(sentence.text, topic)) else None
    if row is None or is_about_another(row.subject, topic):
        return 0.0
    strength = answer_strength(topic, row)
    if row.subject:
        words, topic_words = content_words(row.subject), content_words(topic)
        named = sum(word in topic_words for word in words) / max(1, len(words))
        strength *= 0.4 + 0.6 * named
    return strength


def _units(text: str) -> Iterator[tuple[int, int]]:
    """The sentences. One that refers to the one before is joined with it: "It was lit in 1814." alone says nothing."""
    unit, before = 0, 0
    for begin, end in _whole_rows(text):
        leans = _DEPENDENT_START.match(text, begin) is not None and "\n" not in text[before:begin]
        if not (leans and before and len(text[unit:end].split()) <= MAX_UNIT_WORDS):
            unit = begin
        before = end
        yield unit, end


def _whole_rows(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of sentences; a row is one of them, also with an abbreviation in it: `Max. depth | 141 m`."""
    row_end = 0
    for begin, end in spans_of(text):
        if begin < row_end:
            continue
        line_end = text.find("\n", end)
        line = text[begin : line_end if line_end >= 0 else len(text)].rstrip()
        if len(line) > end - begin and "|" in line and _ROW.fullmatch(line):
            row_end = end = begin + len(line)
        yield begin, end


def _states(text: str) -> bool:
    """Whether it is a complete sentence of some length, mostly of letters. Headings, captions, menus, tables and lists
    are not, nor are questions."""
    words = len(text.split()) + len(_WIDE.findall(text)) // 2
    letters = len(_LETTER.findall(text))
    return 5 <= words <= 80 and letters > 0.6 * len(text.replace(" ", "")) and _STATEMENT.search(text) is not None


def _repeated_names(units: Iterable[Sentence]) -> set[tuple[str, str]]:
    """Passages with names that have several values there, such as the `Posts: 197` of each member of a forum: these are
    properties of other things than of what the page is about."""
    counts = Counter(_name_of(each) for each in units if ":" in each.text and _ROW.fullmatch(each.text))
    return {name for name, count in counts.items() if count > 2}


def _name_of(unit: Sentence) -> tuple[str, str]:
    return unit.passage, unit.text.partition(":")[0]


def _is_row(text: str, topic: str = "") -> bool:
    """Whether it is a row of a table or a property. A row of several cells without a number may be a menu, unless it
    answers the topic."""
    if _ROW.fullmatch(text) is None or _LETTER.search(text) is None or _CLAUSES.fullmatch(text) is not None:
        return False
    if text.count("|") <= 1 or any(char.isdigit() for char in text):
        return True
    row = row_of(text) if topic else None
    return row is not None and answer_strength(topic, row) >= MIN_ANSWER


def _is_item(text: str) -> bool:
    """Whether it may be an item of a list, which says something without being a sentence: `250 g red lentils`."""
    return 2 <= len(text.split()) <= MAX_ITEM_WORDS and "|" not in text and not text.rstrip().endswith("?")


def _pagerank(alike: Numbers, bias: Numbers) -> Numbers:
    """PageRank by power iteration, normalized to a maximum of 1."""
    edges = np.maximum(alike, 0)
    np.fill_diagonal(edges, 0)
    start = bias / bias.sum() if bias.sum() > 0 else np.full(len(bias), 1 / len(bias))
    out = edges.sum(axis=1, keepdims=True)
    steps = np.where(out > 0, edges / np.where(out > 0, out, 1), start)
    ranks = start
    for _ in range(100):
        following = (1 - DAMPING) * start + DAMPING * (ranks @ steps)
        settled = np.abs(following - ranks).sum() < 1e-10
        ranks = following
        if settled:
            break
    scaled: Numbers = ranks / ranks.max()
    return scaled


def _select_diverse(found: Sequence[Sentence], alike: Numbers, ranks: Numbers, limit: int) -> list[int]:
    """The indexes of the best sentences by rank less similarity to the chosen ones; the first of equal ones. A sentence
    that overlaps with a chosen one is not chosen."""
    chosen: list[int] = []
    nearest = np.zeros(len(ranks))
    while len(chosen) < limit:
        worth = np.where(nearest < DUPLICATE_COSINE, (1 - NOVELTY_WEIGHT) * ranks - NOVELTY_WEIGHT * nearest, -np.inf)
        best = int(worth.argmax())
        if worth[best] == -np.inf:
            break
        chosen.append(best)
        nearest = np.maximum(nearest, alike[best])
        nearest[[index for index, each in enumerate(found) if _overlap(each, found[best])]] = 1
    return chosen


def _overlap(one: Sentence, other: Sentence) -> bool:
    return one.passage == other.passage and one.begin < other.end and other.begin < one.end


def _in_order(chosen: list[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    of = {passage.id: passage for passage in reversed(passages)}
    best: dict[str, float] = {}
    for each in chosen:
        url = of[each.passage].url
        best[url] = max(best.get(url, 0), each.score)

    def place(each: Sentence) -> tuple[float, str, int, int]:
        passage = of[each.passage]
        return -best[passage.url], passage.url, passage.begin + each.begin, passage.number

    return sorted(chosen, key=place)
