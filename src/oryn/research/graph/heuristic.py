"""Statements about an entity, found without a language model. Pure.

Four kinds of statements are recognised by their form: sentences that define the entity, `Label: value` lines,
sentences with a year, and sentences with other numbers; besides, names that occur near it. Each is quoted
verbatim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from oryn.research.documents import Passage
from oryn.research.graph.knowledge import GraphStatement, StatementCategory
from oryn.research.graph.schema import MAX_STATEMENT_CHARACTERS
from oryn.research.text.questions import capitalized, is_about_another, subject_of
from oryn.research.text.sentences import sentences

MAX_STATEMENTS = 6
"""The maximum number of statements in one category."""

_FIELD = re.compile(r"^\W{0,3}([^\W\d_][\w ,'()/-]{1,38}?)\s*[:|]\s+(\S.{0,150})$")
"""`Height: 330 m`, also as a row of a table (`| Height | 330 m |`)."""
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_NUMBER = re.compile(r"\b\d[\d.,]*\b")
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\s+(?:(?:of|the|de|von|van|la|der)\s+)*[A-Z][\w'’-]+)+")
_STOP_WORDS = frozenset("the a an this that these those it he she they in on at by of from for and but or as".split())


def heuristic_outline(entity: str, passages: Sequence[Passage]) -> tuple[StatementCategory, ...]:
    """The statements by category, without empty categories; passages are referred to by their index."""
    about = [_QuotedText(text, place) for place, passage in enumerate(passages) for text in _sentences(passage.text)]
    names = _mentions(entity)
    about_entity = [
        each for each in about if names(each.text) and not is_about_another(subject_of(each.text), capitalized(entity))
    ]
    what = [each for each in about_entity if _defines(entity, each.text)]
    dated = [each for each in about_entity if _YEAR.search(each.text) and each not in what]
    counted = [each for each in about_entity if _NUMBER.search(each.text) and each not in (*what, *dated)]
    rest = [each for each in about_entity if each not in (*what, *dated, *counted)]
    found = (
        ("What it is", what),
        ("Facts", list(_fields(capitalized(entity), names, passages))),
        ("Dates", sorted(dated, key=lambda each: int(_YEAR.findall(each.text)[0]))),
        ("Numbers", counted),
        ("Named with it", list(_neighbours(entity, about_entity))),
        ("Also", rest),
    )
    return tuple(StatementCategory(name, _merge(quotes)) for name, quotes in found if quotes)


class _QuotedText:
    """A text, and the index of the passage that contains it."""

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place


def _sentences(text: str) -> Iterator[str]:
    for begin, end in sentences(text):
        sentence = " ".join(text[begin:end].split())
        if 20 <= len(sentence) <= MAX_STATEMENT_CHARACTERS and sentence[-1] in ".!?…。”\"'":
            yield sentence


def _merge(quotes: Iterable[_QuotedText]) -> tuple[GraphStatement, ...]:
    """Statements of the same words are merged into one with several passages; the first `MAX_STATEMENTS` are
    returned."""
    places: dict[str, list[int]] = {}
    texts: dict[str, str] = {}
    for each in quotes:
        key = " ".join(re.findall(r"\w+", each.text.casefold()))
        texts.setdefault(key, each.text)
        found = places.setdefault(key, [])
        if each.place not in found:
            found.append(each.place)
    return tuple(GraphStatement(texts[key], tuple(places[key])) for key in list(places)[:MAX_STATEMENTS])


def _mentions(entity: str) -> Callable[[str], bool]:
    """A test whether a text contains the name of the entity, or at least its longest word."""
    words = [word for word in re.findall(r"\w+", entity.casefold()) if word not in _STOP_WORDS]
    if not words:
        return lambda text: entity.casefold() in text.casefold()
    longest = re.compile(rf"\b{re.escape(max(words, key=len))}", re.IGNORECASE)
    return lambda text: longest.search(text) is not None


def _defines(entity: str, sentence: str) -> bool:
    """`Heron Bridge is a …`, `The Heron Bridge, built by …, was the …`, `Lake Immer lies in …`."""
    verb = r"\b(?:(?:is|are|was|were)\s+(?:an?|the|one)|lies|lie|stands|stand)\b"
    form = rf"(?:the\s+)?{re.escape(entity.strip())}\b[^.:;]{{0,80}}?{verb}"
    return re.match(form, sentence, re.IGNORECASE) is not None


def _fields(entity: str, names: Callable[[str], bool], passages: Sequence[Passage]) -> Iterator[_QuotedText]:
    """The fields of pages that are about the entity by their titles, and the values of rows that are about it. A label
    with several values on one page is no fact about it: those are rows of a list. The header of a table is none
    either."""
    values: dict[tuple[str, str], dict[str, list[int]]] = {}
    for place, passage in enumerate(passages):
        about = names(passage.title) and not is_about_another(passage.title, entity)
        fields = [*_lines_of_fields(passage)] if about else []
        for row in passage.rows:
            if names(row.subject) and not is_about_another(row.subject, entity) if row.subject else about:
                fields.append((row.label, passage.text[row.begin : row.end]))
        for label, value in fields:
            found = values.setdefault((passage.url, label), {}).setdefault(value, [])
            if place not in found:
                found.append(place)
    for (_, label), by_value in values.items():
        if len(by_value) == 1:
            [(value, places)] = by_value.items()
            yield from (_QuotedText(f"{label}: {value}", place) for place in places)


def _lines_of_fields(passage: Passage) -> Iterator[tuple[str, str]]:
    """The lines `label: value` and `label | value` of a passage, without headers of tables, and without lines of more
    columns of which each has a label of its own."""
    begin = 0
    for line in passage.text.splitlines(keepends=True):
        labelled = sum(begin <= row.begin < begin + len(line) for row in passage.rows)
        begin += len(line)
        found = _FIELD.match(line.strip().rstrip("| "))
        if found is None or labelled or line.strip() in passage.headers:
            continue
        label, value = found[1].strip(), found[2].strip()
        if not value.endswith("?") and "://" not in line:
            yield label, value


def _neighbours(entity: str, quotes: Sequence[_QuotedText]) -> Iterator[_QuotedText]:
    """Names of several words in sentences about the entity, the most frequent first."""
    counted: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    mine = set(re.findall(r"\w+", entity.casefold()))
    for each in quotes:
        for name in {_trimmed(match.group()) for match in _NAME.finditer(each.text)}:
            words = re.findall(r"\w+", name.casefold())
            if len(words) > 1 and not mine.intersection(words):
                counted[name] += 1
                places.setdefault(name, []).append(each.place)
    for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MAX_STATEMENTS]:
        for place in places[name]:
            yield _QuotedText(name, place)


def _trimmed(name: str) -> str:
    """The name without an article at its beginning."""
    first, _, rest = name.partition(" ")
    return rest if first.casefold() in _STOP_WORDS and rest else name
