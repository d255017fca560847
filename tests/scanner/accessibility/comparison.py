"""The scanner's trees of a page beside Chromium's: what agrees, and each difference.

`compare(call)` reads all three trees of the page that is open, and pairs their nodes by the elements that they are of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.scanner.accessibility import vocabulary
from tests.scanner.accessibility.browser_tree import BrowserNode, Call, DocumentNode, read_document, read_tree
from tests.scanner.accessibility.scanner_trees import ScannerNode, ScannerTrees, read_trees

ASPECTS = ("role", "name", "states", "level")


class Difference(NamedTuple):
    """`element` is its id or its path; `aspect` is one of `ASPECTS`, with `scan ` before it if only the scan differs. An
    empty role means that this side has no such node."""

    element: str
    aspect: str
    chromium: str
    oryn: str


@dataclass
class Comparison:
    """Figures of one page or of several: by aspect, how many nodes were compared and how many agree."""

    compared: Counter[str] = field(default_factory=Counter)
    agreeing: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    """How often each rule of the vocabulary made nodes agree that say the same in other words."""
    differences: list[Difference] = field(default_factory=list)

    def count(self, place: DocumentNode, aspect: str, chromium: str, oryn: str, *, agrees: bool) -> None:
        self.compared[aspect] += 1
        if agrees:
            self.agreeing[aspect] += 1
        else:
            self.differences.append(Difference(place.selector, aspect, chromium, oryn))

    def add(self, other: Comparison) -> None:
        self.compared += other.compared
        self.agreeing += other.agreeing
        self.rules += other.rules
        self.differences += other.differences

    def lines(self) -> Iterator[str]:
        """The figures, a line for each aspect."""
        for aspect, compared in self.compared.items():
            agreeing = self.agreeing[aspect]
            yield f"{aspect:12} {compared:6} compared  {agreeing:6} agree  {agreeing / compared:.4f}"


async def compare(call: Call) -> Comparison:
    """Compare the trees of the page that is open."""
    own = await read_trees(call)
    places = await read_document(call)
    nodes = await read_tree(call, places)
    result = Comparison()
    _compare_tree(result, places, nodes, own)
    _compare_scan(result, places, nodes, own)
    result.differences = _merged(result.differences)
    return result


def _merged(differences: Iterable[Difference]) -> list[Difference]:
    """Without those of a scan that the tree has too."""
    found = set(differences)
    return [
        each
        for each in dict.fromkeys(differences)
        if not each.aspect.startswith("scan ") or each._replace(aspect=each.aspect[5:]) not in found
    ]


# --- the tree ---


def _compare_tree(
    result: Comparison, places: Mapping[int, DocumentNode], nodes: Mapping[int, BrowserNode], own: ScannerTrees
) -> None:
    paired = {each.backend: each for each in own.tree}
    covered = {id(node) for backend, node in nodes.items() if backend in paired}
    for backend, node in nodes.items():
        if backend not in paired and _needs_counterpart(node, covered):
            result.count(node.place, "role", node.role, "", agrees=False)
    for each in own.tree:
        node_or_none = nodes.get(each.backend)
        if node_or_none is None or node_or_none.is_ignored:
            place = places[each.backend]
            is_drawn = vocabulary.is_drawn_by_label(place, each.role)
            result.rules[vocabulary.DRAWN] += is_drawn
            # What can be pressed has a node, whatever its role.
            result.count(place, "role", "", each.role, agrees=is_drawn or each.role == "generic")
            continue
        node = node_or_none
        words = vocabulary.role_words(node.role)
        agrees = each.role in words or (each.role == "generic" and "" in words)
        result.count(node.place, "role", node.role, each.role, agrees=agrees)
        if words == {""}:
            continue
        _compare_details(result, node, each, "")
        level = vocabulary.level_of(node)
        if level or each.level:
            result.count(node.place, "level", _text(level), _text(each.level), agrees=level == each.level)


def _text(level: int | None) -> str:
    return "" if level is None else str(level)


def _needs_counterpart(node: BrowserNode, covered: set[int]) -> bool:
    """Whether the scanner's tree must have a node for Chromium's. `covered` are those that it has nodes for, by `id`."""
    if node.is_ignored or node.place.is_browsers or "" in vocabulary.role_words(node.role):
        return False
    if node.role in vocabulary.NEEDS_NAME and not node.name:
        return False
    if node.role in vocabulary.NEEDS_CONTENT and not node.name and not any(map(_says_something, node.descendants())):
        return False
    if node.is_focusable and node.role != "option":
        return True
    # What is inside a node that its content names, or inside a field, is said by that node.
    return not any(
        id(above) in covered and (above.by_content or above.place.tag in ("select", "input", "textarea", "video"))
        for above in node.ancestors()
    )


def _says_something(node: BrowserNode) -> bool:
    is_text = node.name != "" and node.role != "ListMarker"
    return not node.is_ignored and (is_text or node.role in vocabulary.INTERACTIVE_ROLES)


def _compare_details(result: Comparison, node: BrowserNode, own: ScannerNode, view: str) -> None:
    rule = next((rule.reason for rule in vocabulary.NAME_RULES if rule.holds(node, own)), None)
    same = vocabulary.plain(node.name) == vocabulary.plain(own.name)
    if rule and not same:
        result.rules[rule] += 1
    result.count(node.place, f"{view}name", node.name, own.name, agrees=same or rule is not None)
    left_out = vocabulary.UNSCANNED_STATES if view else frozenset()
    wanted = vocabulary.states_of(node) - left_out
    states = own.states - vocabulary.ORYN_STATES - left_out
    result.count(
        node.place, f"{view}states", " ".join(sorted(wanted)), " ".join(sorted(states)), agrees=wanted == states
    )


# --- the scan ---


def _compare_scan(
    result: Comparison, places: Mapping[int, DocumentNode], nodes: Mapping[int, BrowserNode], own: ScannerTrees
) -> None:
    listed = {each.backend for each in own.scan}
    unseen = {each.backend for each in own.unseen}
    for backend, node in nodes.items():
        is_wanted = node.is_focusable and node.role in vocabulary.INTERACTIVE_ROLES and not node.is_ignored
        if not is_wanted or backend in listed or node.place.is_browsers:
            continue
        if backend in unseen:
            result.rules[vocabulary.UNSEEN] += 1
        result.count(node.place, "scan role", node.role, "", agrees=backend in unseen)
    for each in own.scan:
        node_or_none = nodes.get(each.backend)
        word = f"{each.kind}/{each.role}"
        if node_or_none is None or node_or_none.is_ignored:
            place = places[each.backend]
            rule = (
                vocabulary.CONCEALED
                if vocabulary.is_concealed(place)
                else vocabulary.DRAWN
                if vocabulary.is_drawn_by_label(place, each.kind)
                else None
            )
            if rule:
                result.rules[rule] += 1
            result.count(place, "scan role", "", word, agrees=rule is not None or word == "generic/generic")
            continue
        node = node_or_none
        is_plain = word == "generic/generic" and node.role not in vocabulary.INTERACTIVE_ROLES
        roles = vocabulary.scan_roles(each.kind, each.role)
        result.count(node.place, "scan role", node.role, word, agrees=is_plain or node.role in roles)
        _compare_details(result, node, each, "scan ")
