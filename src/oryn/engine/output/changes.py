"""The difference between two scans of a page (docs/spec/intent-language.md#changes). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from oryn.core import text_safety
from oryn.core.records import Record
from oryn.engine.output.elements import Element, label, line, ranges, signature

_OPPOSITES = {
    "disabled": "enabled",
    "expanded": "collapsed",
    "selected": "not selected",
    "pressed": "not pressed",
    "active": "not active",
    "invalid": "valid",
    "current": "not current",
    "ascending": "not ascending",
    "descending": "not descending",
}

LineRenderer = Callable[[Element], str]

MAX_CHANGE_LINES = 40
"""Maximum number of element lines in a change report; further ones are only counted."""
MAX_GONE_ELEMENTS = 3
"""Maximum number of lines for elements that have gone; more of them are one line together."""

_TYPED = ("input", "textarea", "select")
"""Types of elements that keys are typed into."""

_CONTAINERS = ("dialog", "alertdialog", "menu", "listbox", "tabpanel")
"""Roles of elements that go with all they contain."""


class PageChange(Record):
    """One line of a report. `data` is its JSON form."""

    sign: Literal["+", "-", "~", "@"]
    text: str
    data: dict[str, Any]

    def render(self) -> str:
        return f"{self.sign} {self.text}"


def appeared(element: Element, line: LineRenderer = line) -> PageChange:
    return PageChange("+", line(element), {"change": "appeared", "element": dict(element)})


def disappeared(element: Element) -> PageChange:
    return PageChange("-", label(element), {"change": "gone", "element": dict(element)})


def changed(before: Element, element: Element, line: LineRenderer = line) -> PageChange:
    """Report a changed element. A removed modifier is reported by its opposite, because the line shows only what
    holds."""
    displayed = dict(element)
    now = list(element.get("modifiers") or ())
    ended = [_OPPOSITES[each] for each in before.get("modifiers") or () if each in _OPPOSITES and each not in now]
    ended = [each for each in ended if each not in now]
    if ended:
        displayed["modifiers"] = [*ended, *now]
    return PageChange("~", line(displayed), {"change": "changed", "element": displayed})


def page_changed(url: str, title: str) -> PageChange:
    return PageChange("@", page_line(url, title), {"change": "page", "url": url, "title": title})


def url_changed(before: str, after: str) -> PageChange:
    text = f"url: {text_safety.path(before)} → {text_safety.path(after)}"
    return PageChange("~", text, {"change": "url", "before": before, "after": after})


def title_changed(after: str) -> PageChange:
    return PageChange("~", f"title: {text_safety.quoted(after)}", {"change": "title", "title": after})


def diff_page(url: str, url_now: str, title: str, title_now: str) -> list[PageChange]:
    """Return the changes of URL and title within one document."""
    found = [url_changed(url, url_now)] if url != url_now else []
    return [*found, title_changed(title_now)] if title != title_now else found


def page_line(url: str, title: str) -> str:
    """Render URL and title: `github.com/login "Sign in to GitHub"`."""
    return f"{text_safety.location(url)} {text_safety.quoted(text_safety.shortened(title, 200))}"


def diff_elements(
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    *,
    limit: int = MAX_CHANGE_LINES,
    line: LineRenderer = line,
) -> tuple[list[PageChange], int]:
    """Return changes of elements in a reader's order (changed, appeared, gone), and how many exceed `limit` (0: no
    limit, and a line for each). `line` renders appeared and changed elements."""
    came = [appeared(e, line) for number, e in after.items() if number not in before]
    went = [disappeared(e) for number, e in before.items() if number not in after]
    common = [(before[number], e) for number, e in after.items() if number in before]
    differ = [changed(was, e, line) for was, e in common if signature(was) != signature(e)]
    found = [*differ, *came, *went]
    return limit_changes(found, limit) if limit else (found, 0)


def is_about(change: PageChange, number: int | None) -> bool:
    """Return whether a change is that of the element with a number."""
    return number is not None and (change.data.get("element") or {}).get("id") == number


def is_focused_field(element: Element) -> bool:
    """Return whether an element is typed into and has the focus."""
    return "focused" in (element.get("modifiers") or ()) and element["type"] in _TYPED


def moved_focus(before: Mapping[int, Element], after: Mapping[int, Element], subject: int | None) -> list[PageChange]:
    """Return a change for the text field that has got the focus without being the one that was acted on, unless another
    of its modifiers, its text or its value tells so already."""
    for number, element in after.items():
        if number == subject or not is_focused_field(element):
            continue
        was = before.get(number)
        if was is not None and "focused" not in was["modifiers"] and signature(was) == signature(element):
            return [changed(was, element)]
    return []


def returned_together(found: Sequence[PageChange], departed: Mapping[int, Element]) -> list[PageChange]:
    """Put the elements that are back as they were reported before they went, as the page behind a dialog that has
    closed, into one line after the others if they are many: `+ 16 elements again: 1-3, 6-18`."""
    back: list[PageChange] = []
    others: list[PageChange] = []
    for change in found:
        (back if _is_back(change, departed) else others).append(change)
    if len(back) <= MAX_GONE_ELEMENTS:
        return list(found)
    elements = [change.data["element"] for change in back]
    text = f"{len(back)} elements again: {ranges(each['id'] for each in elements)}"
    line_of_all = PageChange("+", text, {"change": "returned", "elements": [dict(each) for each in elements]})
    place = next((at for at, change in enumerate(others) if _is_gone_element(change)), len(others))
    return [*others[:place], line_of_all, *others[place:]]


def merge_replaced(found: Sequence[PageChange]) -> list[PageChange]:
    """Put an element that has gone, and one of the same type, role and name that has come, into one line, in the order
    in which they were: `+ [9] button "Save" (was [5])`. Many that have gone are one line without names anyway."""
    if sum(map(_is_gone_element, found)) > MAX_GONE_ELEMENTS:
        return list(found)
    came: dict[tuple[Any, ...], list[PageChange]] = {}
    merged: dict[int, PageChange] = {}
    gone: set[int] = set()
    for change in found:
        if change.data["change"] == "appeared":
            came.setdefault(_identity(change), []).append(change)
    for change in found:
        if _is_gone_element(change) and (heirs := came.get(_identity(change))):
            heir, former = heirs.pop(0), change.data["element"]
            data = {**heir.data, "replaces": former}
            merged[id(heir)] = PageChange("+", f"{heir.text} (was [{former['id']}])", data)
            gone.add(id(change))
    return [merged.get(id(change), change) for change in found if id(change) not in gone]


def _identity(change: PageChange) -> tuple[Any, ...]:
    element = change.data["element"]
    return element["type"], element.get("role"), element["text"]


def raised_first(found: Sequence[PageChange], raised: Sequence[int]) -> list[PageChange]:
    """Put the changes of the elements `raised` first, in their order."""
    places: dict[Any, int] = {number: place for place, number in enumerate(raised)}
    return sorted(found, key=lambda change: places.get((change.data.get("element") or {}).get("id"), len(places)))


def _is_back(change: PageChange, departed: Mapping[int, Element]) -> bool:
    if change.data["change"] != "appeared":
        return False
    element = change.data["element"]
    before = departed.get(element["id"])
    return before is not None and signature(before) == signature(element)


def limit_changes(found: Sequence[PageChange], limit: int) -> tuple[list[PageChange], int]:
    """Return the changes with those that have gone as the last line if they are many, and how many of the others
    exceed `limit`."""
    went = [change for change in found if _is_gone_element(change)]
    if len(went) <= MAX_GONE_ELEMENTS:
        return list(found[:limit]), max(0, len(found) - limit)
    others = [change for change in found if not _is_gone_element(change)]
    together = disappeared_together([change.data["element"] for change in went])
    return [*others[:limit], together], max(0, len(others) - limit)


def _is_gone_element(change: PageChange) -> bool:
    return change.data["change"] == "gone" and "element" in change.data


def is_unfinished_removal(found: Sequence[PageChange]) -> bool:
    """Return whether the page has only removed something, and has closed no dialog, menu or panel: often what takes its
    place comes a moment later."""
    if not found or any(change.sign != "-" or change.data["change"] == "tab_closed" for change in found):
        return False
    gone = [each for change in found for each in change.data.get("elements") or [change.data.get("element") or {}]]
    return not any(each.get("role") in _CONTAINERS for each in gone)


def disappeared_together(elements: Sequence[Element]) -> PageChange:
    """Report elements that have gone at once, under the dialog, menu or panel that held them if there is one:
    `- [9] generic/dialog "Import" and 3 elements: 10-12`."""
    holder = next((each for each in elements if each.get("role") in _CONTAINERS), None)
    others = [each["id"] for each in elements if each is not holder]
    prefix = f"{label(holder)} and " if holder is not None else ""
    text = f"{prefix}{len(others)} elements: {ranges(others)}"
    return PageChange("-", text, {"change": "gone", "elements": [dict(each) for each in elements]})
