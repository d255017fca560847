"""Ranks the elements that match a target (docs/spec/intent-language.md#resolution). Pure.

The criteria, most important first: visible, enabled, a kind that the verb can act on at all, in the open dialog. Then
the text's match (exact, alike, contained, the beginning of a word), the field rather than a box around it, the distance
of a relation, the preferred kind for the verb, in the viewport, and the closer match. An exact match below the fold
beats a longer text above it. If elements still tie, the first in document order is taken and the others are
reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oryn.engine.output.elements import Element

if TYPE_CHECKING:
    from oryn.scanner.protocol import TargetMatch

_TIERS = {"exact": 0, "case": 1, "contains": 2, "begins": 3}
PARTIAL_TIERS = frozenset({"contains", "begins"})
LAST_TIER = len(_TIERS)
_SOURCES = {
    "id": 0, "selector": 0, "point": 0, "role": 0,
    "text": 0, "name": 0, "label": 0,
    "placeholder": 1, "value": 1, "title": 2, "attribute": 3,
}  # fmt: skip

_FIELDS = frozenset({"input", "textarea", "select"})
_BOXES = frozenset({"checkbox", "radio"})
_CHOOSERS = frozenset({"combobox", "listbox", "radiogroup"})
"""Roles of widgets that the page built itself in the place of a `select`."""
_PRESSED = frozenset({"button", "link"})

KINDS: dict[str, tuple[frozenset[str], ...]] = {
    "click": (_PRESSED | _BOXES, frozenset({"generic"}) | _FIELDS),
    "type": (frozenset({"input", "textarea"}), frozenset({"generic"})),
    "clear": (frozenset({"input", "textarea"}), frozenset({"generic"})),
    "select": (frozenset({"select"}), frozenset({"generic", "input", "button"})),
    "check": (_BOXES, frozenset({"generic", "button"})),
    "uncheck": (_BOXES, frozenset({"generic", "button"})),
    "focus": (_FIELDS, _PRESSED | _BOXES),
    "submit": (frozenset({"form"}), frozenset({"button"})),
    "upload": (frozenset({"input"}), _PRESSED | frozenset({"generic"})),
    "value": (_FIELDS | _BOXES,),
}
"""For each verb the element types that it is for, best first; any other type comes last. Verbs that are not listed
accept any."""

_FIELD_TYPES: dict[str, frozenset[str]] = {
    "type": frozenset({"input", "textarea", "generic"}),
    "clear": frozenset({"input", "textarea", "generic"}),
    "select": frozenset({"input", "textarea", "select"}),
    "check": _BOXES,
    "uncheck": _BOXES,
}
"""For verbs that are for fields the types of these: a box around one that matches too is not meant."""

PLAIN_VERBS = frozenset({"drag"})
"""Verbs for which non-interactive elements rank equally: pages listen for drags on the container of what they move."""


@dataclass(frozen=True, slots=True, order=True)
class Rank:
    """The rank of a match; smaller is better. The fields are in the order of their importance."""

    hidden: bool
    plain_text: bool
    """The element is not interactive: such a match is a last resort."""
    disabled: bool
    unfit: bool
    """The element is of a type that the verb can't use."""
    outside_dialog: bool
    tier: int
    holds_field: bool
    """Another match, which it holds, is the field itself."""
    distance: float
    kind: float
    outside_viewport: bool
    source: int
    excess: int


def rank(element: Element, verb: str) -> Rank:
    """Rank a match of the scanner's `find`, which has `state` and `match`."""
    state, match, kinds = element["state"], element["match"], KINDS.get(verb, ())
    kind: float = 0
    if element["role"] not in _CHOOSERS or verb != "select":
        kind = next((place for place, types in enumerate(kinds) if element["type"] in types), len(kinds))
    is_drawn = match["drawn_by_label"] and bool(kinds) and kinds[0] >= _BOXES
    if is_drawn and kinds[0] > _BOXES:
        kind = len(kinds) - 0.5  # what shows the text itself is pressed rather
    return Rank(
        hidden=not (state["visible"] or is_drawn),
        plain_text=not match["interactive"] and verb not in PLAIN_VERBS,
        disabled=not state["enabled"],
        unfit=bool(kinds) and kind == len(kinds),
        outside_dialog=not match["in_dialog"],
        # A part of an id or of a field's name, which nobody reads, is the last that a text may mean.
        tier=LAST_TIER if is_part_of_attribute(match) else _TIERS[match["tier"]],
        holds_field=not _FIELD_TYPES.get(verb, frozenset()).isdisjoint(match.get("field_types", ())),
        distance=match.get("distance", 0.0),
        kind=kind,
        outside_viewport=not state["in_viewport"],
        source=_SOURCES.get(match["source"], 2),
        excess=match["excess"],
    )


def is_part_of_attribute(match: TargetMatch) -> bool:
    """Return whether only an element's `id` or `name` contains the text."""
    return match["tier"] in PARTIAL_TIERS and match["source"] == "attribute"


def closeness(element: Element) -> tuple[int, int]:
    """Return how closely the wanted text fits a match, regardless of the verb; smaller is closer."""
    match = element["match"]
    return _TIERS[match["tier"]], match["excess"]


def best(matches: Sequence[Element], verb: str) -> list[Element]:
    """Return the best ranked matches in document order: one, or several of the same rank. Empty if there are no
    matches."""
    if len(matches) < 2:
        return list(matches)
    ranked = [(rank(element, verb), element) for element in matches]
    top = min(key for key, _ in ranked)
    return [element for key, element in ranked if key == top]
