"""The difference between two looks at a page (intent-language §6). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from oryn.engine import escape
from oryn.engine.elements import Element, label, line, signature
from oryn.records import Record

Line = Callable[[Element], str]

LINES_SHOWN = 40
"""Element lines a change report holds; what exceeds them is counted."""


class Change(Record):
    """One line of a report. `data` is its JSON form."""

    sign: Literal["+", "-", "~", "@"]
    text: str
    data: dict[str, Any]

    def render(self) -> str:
        return f"{self.sign} {self.text}"


def appeared(element: Element, line: Line = line) -> Change:
    return Change("+", line(element), {"change": "appeared", "element": dict(element)})


def gone(element: Element) -> Change:
    return Change("-", label(element), {"change": "gone", "element": dict(element)})


def changed(before: Element, element: Element, line: Line = line) -> Change:
    """A modifier that went is told by its contrary where nothing else would show what is different."""
    told = dict(element)
    if "disabled" in (before.get("modifiers") or ()) and "disabled" not in (element.get("modifiers") or ()):
        told["modifiers"] = ["enabled", *(element.get("modifiers") or ())]
    return Change("~", line(told), {"change": "changed", "element": told})


def page_changed(url: str, title: str) -> Change:
    return Change("@", page_line(url, title), {"change": "page", "url": url, "title": title})


def url_changed(before: str, after: str) -> Change:
    text = f"url: {escape.path(before)} → {escape.path(after)}"
    return Change("~", text, {"change": "url", "before": before, "after": after})


def title_changed(after: str) -> Change:
    return Change("~", f"title: {escape.quoted(after)}", {"change": "title", "title": after})


def of_page(url: str, url_now: str, title: str, title_now: str) -> list[Change]:
    """What is different about a document that is still the same one."""
    found = [url_changed(url, url_now)] if url != url_now else []
    return [*found, title_changed(title_now)] if title != title_now else found


def page_line(url: str, title: str) -> str:
    """`github.com/login "Sign in to GitHub"`."""
    return f"{escape.location(url)} {escape.quoted(escape.shortened(title, 200))}"


def between(
    before: Mapping[int, Element],
    after: Mapping[int, Element],
    *,
    most: int = LINES_SHOWN,
    line: Line = line,
) -> tuple[list[Change], int]:
    """Changes of elements in a reader's order: what came, what went, what is different; and how many more there are
    than `most` (0 is no limit). `line` renders what came or differs."""
    came = [appeared(e, line) for number, e in after.items() if number not in before]
    went = [gone(e) for number, e in before.items() if number not in after]
    kept = [(before[number], e) for number, e in after.items() if number in before]
    differ = [changed(was, e, line) for was, e in kept if signature(was) != signature(e)]
    found = [*came, *went, *differ]
    if not most:
        return found, 0
    return found[:most], max(0, len(found) - most)
