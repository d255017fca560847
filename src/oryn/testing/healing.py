"""Finds the target of a step again on a page that has changed, by a ladder. Pure.

The rungs, the surest first: its author's mark, kind and name, a name that has changed alone in the same place, the
neighbours, the section. A rung on which several elements stand is left for the next one, so what is found is the only
one of its kind there. What the step then causes is compared as ever: finding excuses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from oryn.core.records import Record
from oryn.core.text_folding import fold
from oryn.core.text_safety import quoted
from oryn.engine.output.elements import Element, label, without_repetition
from oryn.engine.output.target_description import TargetDescription
from oryn.testing.variation import likeness

Rung = Literal["mark", "name", "place", "neighbours", "section"]

_SENTENCES: dict[Rung, str] = {
    "mark": "by its author's mark",
    "name": "by its kind and name",
    "place": "in its place, under another name",
    "neighbours": "by its neighbours",
    "section": "as the only one of its section",
}
_FAMILIES = (
    frozenset({"button", "link", "menuitem", "tab", "submit", "generic"}),
    frozenset({"input", "textarea", "textbox", "searchbox", "combobox", "select", "spinbutton"}),
    frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"}),
)
"""Kinds of elements that are used in the same way: one may have become another."""
_MIN_LIKENESS = 0.5


class HealedTarget(Record):
    """An element that stands for a target. `number`: its number on the page; `sentence`: how it was found."""

    number: int
    rung: Rung
    sentence: str


def heal(target: TargetDescription, elements: Sequence[Element]) -> HealedTarget | None:
    """Return the element that a described target is now; None if no rung has just one.

    elements: all of the page, in its order, with `selector` for the first rung, as `observe --full` has them."""
    alike = [place for place, each in enumerate(elements) if is_of_family(target, each)]
    page = _PagePlaces(target, elements)
    rungs: Iterable[tuple[Rung, Callable[[int], bool]]] = (
        ("mark", lambda place: page.is_marked(place) and page.is_named(place)),
        ("name", page.is_named),
        ("mark", page.is_marked),
        ("place", page.is_between_neighbours),
        ("neighbours", page.is_beside_neighbour),
        ("section", page.is_in_section),
    )
    for rung, stands in rungs:
        found = page.narrowed([place for place in alike if stands(place)])
        if found is not None:
            element = elements[found]
            was = " ".join(filter(None, (target.kind, quoted(target.name) if target.name else "")))
            return HealedTarget(element["id"], rung, f"{was} was found {_SENTENCES[rung]}: {label(element)}")
    return None


def is_of_family(target: TargetDescription, element: Element) -> bool:
    """Return whether an element is used as the target was."""
    kinds = {target.kind, target.role} - {"", "generic"} or {"generic"}
    others = {str(element.get("type", "")), str(element.get("role", ""))} - {"", "generic"} or {"generic"}
    return not kinds.isdisjoint(others) or any(kinds & family and others & family for family in _FAMILIES)


class _PagePlaces:
    """What is at each place of a page's elements, compared with a target."""

    def __init__(self, target: TargetDescription, elements: Sequence[Element]) -> None:
        self.target, self.elements = target, elements
        self.names = [_name(each) for each in elements]
        self.previous, self.next, self.name = map(_folded, (target.previous, target.next, target.name))

    def is_marked(self, place: int) -> bool:
        return bool(self.target.mark) and self.elements[place].get("selector") == self.target.mark

    def is_named(self, place: int) -> bool:
        return bool(self.name) and self.names[place] == self.name

    def is_between_neighbours(self, place: int) -> bool:
        is_between = self._before(place) == self.previous and self._after(place) == self.next
        return bool(self.previous or self.next) and is_between and self._is_same_kind(place)

    def is_beside_neighbour(self, place: int) -> bool:
        is_beside = bool(self.previous) and self._before(place) == self.previous
        is_beside = is_beside or (bool(self.next) and self._after(place) == self.next)
        return is_beside and self._is_same_kind(place) and self._is_alike(place)

    def is_in_section(self, place: int) -> bool:
        section = _folded(self.target.section)
        is_there = bool(section) and _folded(str(self.elements[place].get("context") or "")) == section
        return is_there and self._is_same_kind(place)

    def narrowed(self, places: Sequence[int]) -> int | None:
        """Return the only one of several places; the one of the same section, between the same neighbours, or in the
        same place of its kind, if that is one alone."""
        if len(places) < 2:
            return places[0] if places else None
        tests = (self.is_in_section, self.is_between_neighbours, self.is_beside_neighbour, self._is_at_place)
        for stands in tests:
            found = [place for place in places if stands(place)]
            if len(found) == 1:
                return found[0]
        return None

    def _is_same_kind(self, place: int) -> bool:
        return self.elements[place].get("type") == self.target.kind

    def _is_alike(self, place: int) -> bool:
        return not self.name or likeness(self.name, self.names[place]) >= _MIN_LIKENESS

    def _is_at_place(self, place: int) -> bool:
        same = [at for at in range(place + 1) if self._is_same_kind(at)]
        return bool(self.target.place) and len(same) == self.target.place and self._is_same_kind(place)

    def _before(self, place: int) -> str:
        return self._nearest(place, reversed(range(place)))

    def _after(self, place: int) -> str:
        return self._nearest(place, range(place + 1, len(self.elements)))

    def _nearest(self, place: int, places: Iterable[int]) -> str:
        return next((self.names[at] for at in places if self.names[at] and self.names[at] != self.names[place]), "")


def _name(element: Any) -> str:
    return _folded(str(element.get("text", "")))


def _folded(name: str) -> str:
    return fold(without_repetition(name))
