"""Chooses among the facts of a scope (a page, a row) those that answer the fields of a schema.

Every value is the text of one place. A field without a fact that names it stays None: a missing value costs less than
an invented one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from oryn.research.structured_data.facts import Fact
from oryn.research.structured_data.schema import SchemaField, Words
from oryn.research.structured_data.values import MONEY, clean, convert, currency_of

MIN_SCORE = 0.5
"""The score, from 0 to 1, below which a fact does not answer a field."""
CLOSE = 0.03
"""Facts whose scores differ by less contradict each other if their values differ."""

_LIST_SEPARATOR = re.compile(r"(?:(?<!\s)\s++|)[,;|·•]\s*+")


class Found(NamedTuple):
    """A value with the fact that it was read from, and how sure that is, from 0 to 1."""

    value: Any
    fact: Fact
    score: float


Matches = dict[Words, list[float]]
"""How well a label names each of the fields."""


class Scope:
    """The facts of a page or of one of its rows. `base` is the URL of the page, for relative links. `doubts` collects
    what is not certain. `matches` are those of labels with the fields, which rows of one list share."""

    def __init__(
        self, facts: Iterable[Fact], base: str, doubts: list[str] | None = None, matches: Matches | None = None
    ) -> None:
        self.facts = list(facts)
        self.base = base
        self.doubts = doubts if doubts is not None else []
        self._matches: Matches = matches if matches is not None else {}

    def choose(self, fields: Sequence[SchemaField]) -> dict[str, Found]:
        """The best answers to scalar fields and lists of scalars, by name. A label that is the name of one field does
        not answer another one."""
        scored = self._scored(fields)
        chosen: dict[str, Found] = {}
        for place, field in enumerate(fields):
            candidates = sorted(scored[place], key=lambda each: -each[0])
            if (found := self._first(field, candidates)) is not None:
                chosen[field.name] = found
        self._derive_currency(fields, chosen)
        return chosen

    def _scored(self, fields: Sequence[SchemaField]) -> list[list[tuple[float, int, Fact]]]:
        matches = self._matches
        scored: list[list[tuple[float, int, Fact]]] = [[] for _ in fields]
        for number, fact in enumerate(self.facts):
            scores = matches.get(fact.label)
            if scores is None:
                scores = [field.match(fact.label) for field in fields]
                best = max(scores, default=0.0)
                # `Shipping date` is not the `date` if the schema has a field for it.
                scores = matches[fact.label] = [each if each >= best - 0.021 or best < 0.99 else 0.0 for each in scores]
            for place, match in enumerate(scores):
                if (score := match * fact.weight) >= MIN_SCORE:
                    scored[place].append((score, number, fact))
        return scored

    def _first(self, field: SchemaField, candidates: Sequence[tuple[float, int, Fact]]) -> Found | None:
        best: Found | None = None
        named: dict[int, Any] = {}
        for score, _, fact in candidates[:200]:
            if best is not None and score < best.score - CLOSE:
                break
            value = self._value(field, fact)
            if value is None:
                continue
            if best is None:
                best = Found(value, fact, score)
                if fact.source == "name":
                    continue
            named[id(fact)] = value
            if fact.source == "name" and best.fact.source == "name" and value != best.value:
                if not _contains(best.fact, fact):
                    if field.type != "array":
                        self.doubts.append(f"{field.name}: the page has several, the first was taken")
                    break
                # The innermost element has the value alone.
                best = Found(value, fact, score)
        if best is not None and field.type != "array":
            self._note_contradiction(field, best, candidates)
        return best

    def _note_contradiction(
        self, field: SchemaField, best: Found, candidates: Sequence[tuple[float, int, Fact]]
    ) -> None:
        for score, _, fact in candidates[:20]:
            if fact.source in ("name", best.fact.source) or score < best.score - 0.15:
                continue
            other = self._value(field, fact)
            if other is not None and _differs(other, best.value):
                self.doubts.append(f"{field.name}: {best.fact.source} and {fact.source} differ")
                return

    def _value(self, field: SchemaField, fact: Fact) -> Any:
        if field.type == "array":
            return self._list(field, fact)
        if field.type == "object":
            return None
        for text in _texts(field, fact):
            if (value := convert(text, field, self.base)) is not None:
                return value
            if len(fact.texts) > 1:
                return None
        return None

    def _list(self, field: SchemaField, fact: Fact) -> list[Any] | None:
        item = field.item
        if item is None or item.type in ("object", "array"):
            return None
        texts = list(fact.texts)
        if fact.source == "name":
            texts = [text for each in self.facts if each.label == fact.label and each.source == "name"
                     and _are_siblings(each, fact) for text in each.texts]  # fmt: skip
            if len(texts) < 2:
                return None
        elif len(texts) == 1 and item.concept != "url":
            texts = [each for each in _LIST_SEPARATOR.split(texts[0]) if each]
        values = [value for text in texts if (value := convert(text, item, self.base)) is not None]
        return values or None

    def _derive_currency(self, fields: Sequence[SchemaField], chosen: dict[str, Found]) -> None:
        """The currency of the price, if no fact says it."""
        field = next((each for each in fields if each.concept == "currency" and each.type == "string"), None)
        if field is None or field.name in chosen:
            return
        prices = [each.name for each in fields if each.concept in ("price", "salary")]
        found = next((chosen[name] for name in prices if name in chosen), None)
        if found is not None and (code := currency_of(found.fact.texts[0])) and convert(code, field) is not None:
            chosen[field.name] = Found(convert(code, field), found.fact, 0.6)
            if "$" in found.fact.texts[0] and "USD" not in found.fact.texts[0]:
                self.doubts.append(f"{field.name}: $ was taken for USD")


def _texts(field: SchemaField, fact: Fact) -> Iterable[str]:
    element = fact.element
    if element is not None and fact.source != "json-ld" and field.type == "string":
        kind = field.schema.get("format")
        if kind in ("uri", "url", "uri-reference") or field.concept in ("url", "image"):
            attribute = "src" if field.concept == "image" else "href"
            found = next(
                (each.get(attribute) for each in element.iter("a", "img", "link") if each.get(attribute)), None
            )
            if found:
                yield found
        if kind in ("date", "date-time"):
            found = next((each.get("datetime") for each in element.iter("time") if each.get("datetime")), None)
            if found:
                yield found
    if field.concept == "price" and field.type in ("number", "integer") and len(fact.texts) == 1:
        amounts = {each[0] for each in MONEY.finditer(fact.texts[0])}
        if len(amounts) == 1 and len(fact.texts[0]) <= 60:
            yield amounts.pop()
    yield from fact.texts
    if field.type != "string" or field.schema.get("format") in ("date", "date-time"):
        yield from (sentence for text in fact.texts[:1] for sentence, _, rest in [text.partition(". ")] if rest)


def _contains(outer: Fact, inner: Fact) -> bool:
    return outer.element is not None and inner.element is not None and outer.element in inner.element.iterancestors()


def _are_siblings(one: Fact, other: Fact) -> bool:
    if one.element is None or other.element is None:
        return False
    first, second = one.element.getparent(), other.element.getparent()
    return first is second or (first is not None and second is not None and first.getparent() is second.getparent())


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        a, b = clean(one).casefold(), clean(other).casefold()
        return a not in b and b not in a
    return bool(one != other)
